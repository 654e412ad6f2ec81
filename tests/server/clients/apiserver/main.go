// Calls a webhook as the API server does: by k8s.io/apiserver's own plugin of mutating webhooks, its ClientManager and
// client-go, with Pods of recorded reviews. What comes back is read, checked and applied by the plugin.
//
//	apiserver -url https://localhost:PORT/mutate -ca FILE -callers N (-calls N | -for 10s) [-service] [-pad BYTES]
//
// Reads reviews from its input, one a line. Prints one JSON object: calls, how many Pods were changed, what failed by
// its sentence, and when the last call began that was answered, the first that failed, in seconds since the start.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	registration "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

const (
	namespace = "tpu-webhook"
	service   = "tpu-webhook"
)

// Where a Service leads: to the address that -url has.
type resolver struct{ to *url.URL }

func (r resolver) ResolveEndpoint(string, string, int32) (*url.URL, error) { return r.to, nil }

func as[T any](value T) *T { return &value }

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "apiserver:", err)
		os.Exit(2)
	}
}

func configuration(to *url.URL, ca []byte, byService bool) *registration.MutatingWebhookConfiguration {
	where := registration.WebhookClientConfig{URL: as(to.String()), CABundle: ca}
	if byService {
		where = registration.WebhookClientConfig{CABundle: ca, Service: &registration.ServiceReference{
			Namespace: namespace, Name: service, Path: as(to.Path), Port: as(int32(443))}}
	}
	return &registration.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "tpu-webhook"},
		Webhooks: []registration.MutatingWebhook{{
			Name: "pods.tpu-webhook.dev", ClientConfig: where, TimeoutSeconds: as(int32(10)),
			AdmissionReviewVersions: []string{"v1"}, SideEffects: as(registration.SideEffectClassNoneOnDryRun),
			FailurePolicy: as(registration.Fail), MatchPolicy: as(registration.Equivalent),
			ReinvocationPolicy: as(registration.NeverReinvocationPolicy),
			NamespaceSelector:  &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{},
			Rules: []registration.RuleWithOperations{{
				Operations: []registration.OperationType{registration.Create},
				Rule: registration.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"},
					Scope: as(registration.AllScopes)}}},
		}},
	}
}

func plugin(pods []corev1.Pod, to *url.URL, configured *registration.MutatingWebhookConfiguration) *mutating.Plugin {
	names := map[string]bool{}
	client := fake.NewClientset(configured)
	for _, pod := range pods {
		if !names[pod.Namespace] {
			names[pod.Namespace] = true
			must(client.Tracker().Add(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: pod.Namespace}}))
		}
	}
	made, err := mutating.NewMutatingWebhook(nil)
	must(err)
	factory := informers.NewSharedInformerFactory(client, 0)
	made.SetAuthenticationInfoResolverWrapper(func(webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
		return &webhook.AuthenticationInfoResolverDelegator{
			ClientConfigForFunc:        func(string) (*rest.Config, error) { return &rest.Config{}, nil },
			ClientConfigForServiceFunc: func(string, string, int) (*rest.Config, error) { return &rest.Config{}, nil },
		}
	})
	made.SetServiceResolver(resolver{&url.URL{Scheme: "https", Host: to.Host}})
	made.SetExternalKubeClientSet(client)
	made.SetExternalKubeInformerFactory(factory)
	must(made.ValidateInitialization())
	factory.Start(wait.NeverStop)
	factory.WaitForCacheSync(wait.NeverStop)
	if !made.WaitForReady() {
		must(fmt.Errorf("the plugin is not ready"))
	}
	return made
}

func recorded(pad int) (pods []corev1.Pod) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var review admissionv1.AdmissionReview
		must(json.Unmarshal(in.Bytes(), &review))
		asked := review.Request
		if asked == nil || asked.Kind.Kind != "Pod" || asked.Operation != admissionv1.Create || asked.SubResource != "" {
			continue
		}
		var pod corev1.Pod
		must(json.Unmarshal(asked.Object.Raw, &pod))
		pod.Namespace = asked.Namespace
		if pad > 0 {
			if pod.Annotations == nil {
				pod.Annotations = map[string]string{}
			}
			pod.Annotations["padding"] = strings.Repeat("x", pad)
		}
		pods = append(pods, pod)
	}
	must(in.Err())
	if len(pods) == 0 {
		must(fmt.Errorf("no Pods to create"))
	}
	return pods
}

type said struct {
	Calls       int            `json:"calls"`
	Changed     int            `json:"changed"`
	Failed      map[string]int `json:"failed"`
	LastGood    float64        `json:"last_answered_s"`
	FirstFailed float64        `json:"first_failed_s"`
	P50         float64        `json:"p50_ms"`
	P99         float64        `json:"p99_ms"`
	Most        float64        `json:"most_ms"`
}

func main() {
	where := flag.String("url", "", "of the webhook")
	caFile := flag.String("ca", "", "whom to trust")
	callers := flag.Int("callers", 1, "at a time")
	calls := flag.Int64("calls", 0, "of all callers; 0: until -for")
	period := flag.Duration("for", time.Hour, "to call")
	byService := flag.Bool("service", false, "call a Service in place of a URL")
	pad := flag.Int("pad", 0, "bytes that each Pod is larger")
	flag.Parse()
	to, err := url.Parse(*where)
	must(err)
	ca, err := os.ReadFile(*caFile)
	must(err)
	pods := recorded(*pad)
	made := plugin(pods, to, configuration(to, ca, *byService))
	if *calls == 0 {
		*calls = 1 << 60
	}
	fmt.Fprintln(os.Stderr, "begins")

	var taken atomic.Int64
	var lock sync.Mutex
	var wanted sync.WaitGroup
	out := said{Failed: map[string]int{}, FirstFailed: -1}
	var took []time.Duration
	begin := time.Now()
	resource := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	objects := admission.NewObjectInterfacesFromScheme(scheme.Scheme)
	for range *callers {
		wanted.Go(func() {
			for {
				number := taken.Add(1)
				if number > *calls || time.Since(begin) > *period {
					return
				}
				before := &pods[number%int64(len(pods))]
				pod := before.DeepCopy()
				asked := admission.NewAttributesRecord(pod, nil, corev1.SchemeGroupVersion.WithKind("Pod"), pod.Namespace,
					pod.Name, resource, "", admission.Create, &metav1.CreateOptions{}, false, &user.DefaultInfo{Name: "somebody"})
				ctx, end := context.WithTimeout(context.Background(), 34*time.Second)
				start := time.Now()
				err := made.Admit(ctx, asked, objects)
				end()
				lasted := time.Since(start)
				lock.Lock()
				out.Calls++
				took = append(took, lasted)
				if err != nil {
					out.Failed[err.Error()]++
					if out.FirstFailed < 0 {
						out.FirstFailed = start.Sub(begin).Seconds()
					}
				} else {
					out.LastGood = max(out.LastGood, start.Sub(begin).Seconds())
					if !reflect.DeepEqual(pod.Spec, before.Spec) || !reflect.DeepEqual(pod.Labels, before.Labels) {
						out.Changed++
					}
				}
				lock.Unlock()
				if err != nil {
					time.Sleep(5 * time.Millisecond)
				}
			}
		})
	}
	wanted.Wait()
	slices.Sort(took)
	at := func(share float64) float64 {
		return took[min(len(took)-1, int(share*float64(len(took))))].Seconds() * 1000
	}
	if len(took) > 0 {
		out.P50, out.P99, out.Most = at(.5), at(.99), at(1)
	}
	text, err := json.Marshal(out)
	must(err)
	fmt.Println(string(text))
}
