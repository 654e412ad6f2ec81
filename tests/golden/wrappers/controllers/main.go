// controllers FILE: the objects that the controllers' own code makes of the TrainJobs and DisaggregatedSets in a file of
// YAML, a JSON line each. Nothing is asked of a cluster: the client is controller-runtime's fake one.
//
// The API server's defaults of the CRDs are set here, as far as the controllers' code reads them.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	disaggregatedsetv1 "sigs.k8s.io/lws/api/disaggregatedset/v1"
	leaderworkersetv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	"sigs.k8s.io/lws/pkg/controllers/disaggregatedset"
	disaggregatedsetutils "sigs.k8s.io/lws/pkg/utils/disaggregatedset"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/runtime"
	"github.com/kubeflow/trainer/v2/pkg/runtime/core"
	fake "github.com/kubeflow/trainer/v2/pkg/util/testing"
)

type input struct {
	runtimes []client.Object
	jobs     []*trainer.TrainJob
	sets     []*disaggregatedsetv1.DisaggregatedSet
}

func defaultRuntime(spec *trainer.TrainingRuntimeSpec) {
	if group := spec.PodGroupPolicy; group != nil && group.Coscheduling != nil && group.Coscheduling.ScheduleTimeoutSeconds == nil {
		group.Coscheduling.ScheduleTimeoutSeconds = ptr.To[int32](60)
	}
	if spec.MLPolicy == nil || spec.MLPolicy.MPI == nil {
		return
	}
	mpi := spec.MLPolicy.MPI
	if mpi.NumProcPerNode == nil {
		mpi.NumProcPerNode = ptr.To[int32](1)
	}
	if mpi.MPIImplementation == nil {
		mpi.MPIImplementation = ptr.To(trainer.MPIImplementationOpenMPI)
	}
	if mpi.SSHAuthMountPath == nil {
		mpi.SSHAuthMountPath = ptr.To("/root/.ssh")
	}
}

func (in *input) add(document []byte) error {
	var kind struct{ Kind string }
	if err := yaml.Unmarshal(document, &kind); err != nil {
		return err
	}
	switch kind.Kind {
	case "ClusterTrainingRuntime":
		object := &trainer.ClusterTrainingRuntime{}
		in.runtimes = append(in.runtimes, object)
		err := yaml.UnmarshalStrict(document, object)
		defaultRuntime(&object.Spec)
		return err
	case "TrainingRuntime":
		object := &trainer.TrainingRuntime{}
		in.runtimes = append(in.runtimes, object)
		err := yaml.UnmarshalStrict(document, object)
		object.Namespace = namespaceOf(object.Namespace)
		defaultRuntime(&object.Spec)
		return err
	case "TrainJob":
		object := &trainer.TrainJob{}
		in.jobs = append(in.jobs, object)
		err := yaml.UnmarshalStrict(document, object)
		object.Namespace = namespaceOf(object.Namespace)
		if object.Spec.RuntimeRef.Kind == nil {
			object.Spec.RuntimeRef.Kind = ptr.To(trainer.ClusterTrainingRuntimeKind)
		}
		return err
	case "DisaggregatedSet":
		object := &disaggregatedsetv1.DisaggregatedSet{}
		in.sets = append(in.sets, object)
		err := yaml.UnmarshalStrict(document, object)
		object.Namespace = namespaceOf(object.Namespace)
		return err
	case "":
		return nil // a comment alone
	}
	return fmt.Errorf("kind %s is not made here", kind.Kind)
}

func namespaceOf(given string) string {
	if given == "" {
		return corev1.NamespaceDefault
	}
	return given
}

func read(name string) (*input, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	in := &input{}
	documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(content)))
	buffer := make([]byte, len(content)+1)
	for {
		size, err := documents.Read(buffer)
		if errors.Is(err, io.EOF) {
			return in, nil
		}
		if err != nil {
			return nil, err
		}
		if err := in.add(buffer[:size]); err != nil {
			return nil, err
		}
	}
}

func jobSets(ctx context.Context, in *input) error {
	builder := fake.NewClientBuilder().WithObjects(in.runtimes...)
	cluster := builder.Build()
	namespaced, err := core.NewTrainingRuntime(ctx, cluster, fake.AsIndex(builder), nil)
	if err != nil {
		return err
	}
	global, err := core.NewClusterTrainingRuntime(ctx, cluster, fake.AsIndex(builder), nil)
	if err != nil {
		return err
	}
	runtimes := map[string]runtime.Runtime{
		trainer.TrainingRuntimeKind: namespaced, trainer.ClusterTrainingRuntimeKind: global,
	}
	for _, job := range in.jobs {
		objects, err := runtimes[*job.Spec.RuntimeRef.Kind].NewObjects(ctx, job)
		if err != nil {
			return err
		}
		for _, object := range objects {
			if err := printJobSet(object); err != nil {
				return err
			}
		}
	}
	return nil
}

func printJobSet(object apiruntime.ApplyConfiguration) error {
	content, err := json.Marshal(object)
	if err != nil {
		return err
	}
	made := &unstructured.Unstructured{}
	if err := json.Unmarshal(content, &made.Object); err != nil {
		return err
	}
	if made.GetKind() == "JobSet" {
		fmt.Println(string(content))
	}
	return nil
}

func leaderWorkerSets(ctx context.Context, set *disaggregatedsetv1.DisaggregatedSet) error {
	cluster := fake.NewClientBuilder(leaderworkersetv1.AddToScheme, disaggregatedsetv1.AddToScheme).Build()
	manager := disaggregatedset.NewLeaderWorkerSetManager(cluster)
	revision := disaggregatedsetutils.ComputeRevision(set.Spec.Roles)
	for i := range set.Spec.Roles {
		role := &set.Spec.Roles[i]
		replicas := int(ptr.Deref(role.Spec.Replicas, 1))
		err := manager.Create(ctx, disaggregatedsetutils.CreateParams{
			DisaggregatedSet: set, Role: role.Name, Config: role, Revision: revision, Replicas: replicas,
			Labels: disaggregatedsetutils.GenerateLabels(set.Name, role.Name, revision),
		})
		if err != nil {
			return err
		}
		name := disaggregatedsetutils.GenerateName(set.Name, role.Name, revision)
		made, err := manager.Get(ctx, set.Namespace, name)
		if err != nil {
			return err
		}
		made.SetGroupVersionKind(leaderworkersetv1.GroupVersion.WithKind("LeaderWorkerSet"))
		content, err := json.Marshal(made)
		if err != nil {
			return err
		}
		fmt.Println(string(content))
	}
	return nil
}

func run(name string) error {
	in, err := read(name)
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := jobSets(ctx, in); err != nil {
		return err
	}
	for _, set := range in.sets {
		if err := leaderWorkerSets(ctx, set); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "controllers FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "controllers:", err)
		os.Exit(1)
	}
}
