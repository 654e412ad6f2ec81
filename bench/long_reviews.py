"""Reviews of a given length that are one thing again and again: each list and map of a Pod and of the objects that
make Pods, what is found in them, long texts of every kind, brackets, and what is no JSON.

`shapes()` gives each with its name; `Shape.review(size)` its text of about so many bytes. In an element '#' is its
number and '~' one of three digits, so that names differ or are few.
"""

import dataclasses
import itertools

POD_METADATA = ('"metadata":{"name":"train-1-x","namespace":"d","managedFields":[{"fieldsV1":{"f:a":{}@fields@}}],'
                '"labels":{"batch.kubernetes.io/job-name":"train","batch.kubernetes.io/job-completion-index":"1"@labels@},'
                '"annotations":{"tpu-webhook.dev/hostnames":"train-0.svc,train-1.svc@hostnames@",'
                '"tpu-webhook.dev/injected":"v1;12345678;c:TPU_NAME=12345678@record@"@annotations@},'
                '"ownerReferences":[{"kind":"Job","name":"train","uid":"u","controller":true}@owners@]@metadata@}')
REQUIRED, PREFERRED = (f"{which}DuringSchedulingIgnoredDuringExecution" for which in ("required", "preferred"))
POD_SPEC = ('"spec":{"hostname":"train-1","subdomain":"svc","nodeSelector":{'
            '"cloud.google.com/gke-tpu-accelerator":"tpu-v6e-slice","cloud.google.com/gke-tpu-topology":"2x4"@selector@},'
            '"schedulingGates":[{"name":"g"}@gates@],"tolerations":[{"key":"k"}@tolerations@],'
            '"dnsConfig":{"searches":["a"@searches@]},"readinessGates":[{"conditionType":"a"}@readiness@],'
            '"topologySpreadConstraints":[{"maxSkew":1}@spread@],"imagePullSecrets":[{"name":"s"}@secrets@],'
            '"hostAliases":[{"ip":"1"}@aliases@],"overhead":{"cpu":"1"@overhead@},'
            '"volumes":[{"name":"n"}@volumes@],'
            '"resourceClaims":[{"name":"n","resourceClaimTemplateName":"t"}@claims@],'
            '"affinity":{"nodeAffinity":{"' + REQUIRED + '":{"nodeSelectorTerms":[{"matchExpressions":['
            '{"key":"k","operator":"In","values":["v"@values@]}@expressions@],"matchFields":[@nodes@]}@terms@]},'
            '"' + PREFERRED + '":[{"weight":1,"preference":{}}@preferred@]},'
            '"podAffinity":{"' + REQUIRED + '":[{"topologyKey":"t","namespaces":["n"@namespaces@]}@near@]},'
            '"podAntiAffinity":{"' + REQUIRED + '":[{"topologyKey":"t"}@away@],'
            '"' + PREFERRED + '":[{"weight":1,"podAffinityTerm":{"topologyKey":"t"}}@apart@]}},'
            '"containers":[{"name":"c","env":[{"name":"A","value":"a"}@env@],"args":["a"@args@],'
            '"ports":[{"containerPort":1}@ports@],"volumeMounts":[{"name":"n"}@mounts@],'
            '"resources":{"claims":[{"name":"n"}@uses@],"limits":{"google.com/tpu":4@limits@}}}@containers@],'
            '"initContainers":[{"name":"i","env":[{"name":"A","value":"a"}@init_env@]}@init@],'
            '"ephemeralContainers":[{"name":"e"}@ephemeral@]@spec@}')

# Where in a Pod, and what is there again and again.
IN_A_POD = [
    ("fields", ['"f:k#":{}', '"f:k#":{"f:a":{}}', '"":{}']),
    ("labels", ['"k#":"v#"', '"":""', '"a":null', '"tpu-webhook.dev/#":""']),
    ("annotations", ['"k#":"v#"', '"":""', '"a":0', '"\\u0061#":"\\n"', '"tpu-webhook.dev/#":""', '"é":"ü"']),
    ("record", [";c#:TPU_NAME=12345678", ";c:TPU_NAME=12345678", ";", ",", ":", "c"]),
    ("hostnames", [",h#", ",", ",h\\n#", "h", ",train-1.svc"]),
    ("owners", ["{}", '{"kind":"Job","name":"n#","uid":"u#","controller":true}', '{"kind":""}', '{"controller":true}']),
    ("metadata", ['"a":0', '"":[]', '"a":{}']),
    ("selector", ['"k#":""', '"!#":""', '"cloud.google.com/gke-tpu-slice-#":""', '"\\u0061#":""', '"k#":null',
                  '"cloud.google.com/gke-tpu-#":"a"', '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa#":""']),
    ("gates", ["{}", '{"name":""}', '{"name":"kueue.x-k8s.io/#"}']),
    ("tolerations", ["{}", '{"key":""}', '{"key":"k#","operator":"Equal","value":"v#"}', '{"operator":"Exists"}']),
    ("searches", ['""', '"a#"', '"\\u0061"', '"svc.cluster.local"']),
    ("readiness", ["{}", '{"conditionType":"c#"}']),
    ("spread", ["{}", '{"maxSkew":1,"topologyKey":"k#","labelSelector":{"matchLabels":{"a":"b"}}}']),
    ("secrets", ["{}", '{"name":"s#"}']),
    ("aliases", ["{}", '{"ip":"1","hostnames":["a"]}']),
    ("overhead", ['"a":1', '"k#":"1"']),
    ("volumes", ["{}", '{"name":"n#","emptyDir":{}}', '{"name":"n#","configMap":{"items":[{"key":"a"}]}}']),
    ("claims", ["{}", '{"name":""}', '{"name":"n#","resourceClaimTemplateName":"t#"}', '{"name":"n#"}', '{"name":"n~"}',
                '{"name":"\\u0061#"}']),
    ("uses", ["{}", '{"name":"n"}', '{"name":"n#"}']),
    ("values", ['""', '"v#"', '"\\u0061"', '"é"']),
    ("expressions", ["{}", '{"key":""}', '{"key":"k#","operator":"Exists"}', '{"values":[]}', '{"key":"","operator":"In","values":[""]}',
                     '{"key":"cloud.google.com/gke-tpu-topology","operator":"In","values":["2x4"]}']),
    ("nodes", ["{}", "0"]),
    ("terms", ["{}", '{"matchExpressions":[]}', '{"matchExpressions":[{}]}', '{"matchFields":[{}]}',
               '{"matchExpressions":[{"key":"k#","operator":"In","values":["v#"]}]}',
               '{"matchExpressions":[{"key":"cloud.google.com/gke-tpu-topology","operator":"In","values":["2x4"]}]}']),
    ("preferred", ["{}", "0", '{"weight":1,"preference":{"matchExpressions":[{"key":"k#","operator":"Exists"}]}}']),
    ("namespaces", ['""', '"n#"']),
    ("near", ["{}", '{"labelSelector":{}}', '{"namespaceSelector":{}}', '{"labelSelector":{"matchExpressions":[{}]}}',
              '{"labelSelector":{"matchLabels":{"k#":"v"}},"topologyKey":"t#"}']),
    ("away", ["{}", '{"labelSelector":{"matchExpressions":[{"key":"tpu-webhook.dev/slice-key","operator":"Exists"}]}}',
              '{"labelSelector":{"matchExpressions":[{"key":"tpu-webhook.dev/slice-key","operator":"NotIn","values":["#"]}]},'
              '"topologyKey":"cloud.google.com/gke-nodepool","namespaceSelector":{}}']),
    ("apart", ["{}", '{"podAffinityTerm":{}}', '{"weight":1,"podAffinityTerm":{"topologyKey":"t#"}}']),
    ("env", ["{}", '{"name":""}', '{"name":"N#","value":"v#"}', '{"name":"TPU_NAME"}', '{"name":"TPU_NAME","value":"#"}',
             '{"value":"\\n","name":"TPU_NAM\\u0045"}', '{"name":"TPU_NAME","valueFrom":{}}', '{"name":"TPU_WORKER_ID","value":"1"}']),
    ("args", ['""', '"a#"', "0", "[]"]),
    ("ports", ["{}", '{"containerPort":8471}', '{"containerPort":#,"name":"p#"}']),
    ("mounts", ["{}", '{"name":"n#","mountPath":"/a#"}']),
    ("limits", ['"a":1', '"r#":"1"']),
    ("containers", ["{}", '{"name":""}', '{"name":"c#"}', '{"resources":{}}', '{"env":[]}', '{"env":[{}]}',
                    '{"name":"c","resources":{"claims":[{"name":"n"}]}}', '{"name":"c#","resources":{"claims":[{"name":"n#"}]}}',
                    '{"resources":{"limits":{"google.com/tpu":4}}}', '{"resources":{"limits":{"google.com/tpu":1}}}',
                    '{"name":"c#","resources":{"limits":{"google.com/tpu":4}},"env":[{"name":"TPU_WORKER_ID","value":"9"}]}',
                    '{"resources":{"limits":{"google.com/tpu":"x#"}}}', '{"resources":{"requests":{"google.com/tpu":4}}}',
                    '{"name":"c#","env":[{"name":"TPU_NAME","value":"#"}]}', '{"ports":[{"containerPort":8471}]}']),
    ("init", ["{}", '{"name":"i#"}', '{"restartPolicy":"Always"}', '{"restartPolicy":"Always","resources":{"limits":{"google.com/tpu":4}}}',
              '{"resources":{"limits":{"google.com/tpu":4}}}', '{"resources":{"limits":{"google.com/tpu":"x"}}}']),
    ("init_env", ["{}", '{"name":"TPU_NAME","value":"v#"}']),
    ("ephemeral", ["{}", '{"name":"e#"}']),
    ("spec", ['"a":0', '"":[]', '"a":{}', '"a":[{}]', '"a":"b"', '"":"\\n"']),
]

# Templates, of each of which something is found or nothing.
CHIPS = '"containers":[{"resources":{"limits":{"google.com/tpu":4}}}]'
V6E = '"nodeSelector":{"cloud.google.com/gke-tpu-accelerator":"tpu-v6e-slice","cloud.google.com/gke-tpu-topology":"%s"}'
TEMPLATES = {
    "empty": "{}",
    "null": "null",
    "empty spec": '{"spec":{}}',
    "empty container": '{"spec":{"containers":[{}]}}',
    "escape": '{"spec":{"a":"\\n"}}',
    "escaped names": '{"spec":{"containers":[{"name":"c\\n"}]}}',
    "TPU nodes without chips (TPU-114)": '{"spec":{"nodeSelector":{"cloud.google.com/gke-tpu-accelerator":"a"}}}',
    "no whole number of chips (TPU-104)": '{"spec":{"containers":[{"resources":{"limits":{"google.com/tpu":"x"}}}]}}',
    "no whole number of chips, each another": '{"spec":{"containers":[{"resources":{"limits":{"google.com/tpu":"x#"}}}]}}',
    "no whole number of chips, unprintable": '{"spec":{"containers":[{"resources":{"limits":{"google.com/tpu":"\\n#"}}}]}}',
    "negative chips": '{"spec":{"containers":[{"resources":{"limits":{"google.com/tpu":-1}}}]}}',
    "half a chip": '{"spec":{"initContainers":[{"resources":{"requests":{"google.com/tpu":".#5"}}}]}}',
    "no topology (TPU-105)": '{"spec":{' + CHIPS + '}}',
    "a slice": '{"spec":{' + V6E % "4x4" + "," + CHIPS + '}}',
    "an unknown topology (TPU-102)": '{"spec":{' + V6E % "x#" + "," + CHIPS + '}}',
    "left alone": '{"metadata":{"annotations":{"tpu-webhook.dev/inject":"false"}},"spec":{' + CHIPS + '}}',
    "a claim": '{"spec":{"resourceClaims":[{"name":"n"}],"containers":[{"resources":{"claims":[{"name":"n"}]}}]}}',
    "labels": '{"metadata":{"labels":{"a":"b"}}}',
}

# name, group, kind, in front of the items, an item, behind them; '%' is the template
APIS = [
    ("RayCluster", "ray.io", "RayCluster", '{"metadata":{"name":"r"},"spec":{"workerGroupSpecs":[', '{"template":%}', "]}}"),
    ("RayCluster, names", "ray.io", "RayCluster", '{"metadata":{"name":"r"},"spec":{"workerGroupSpecs":[',
     '{"groupName":"g#","template":%}', "]}}"),
    ("RayCluster, names in pairs", "ray.io", "RayCluster", '{"metadata":{"name":"r"},"spec":{"workerGroupSpecs":[',
     '{"groupName":"#","template":%},{"template":%,"groupName":"#"}', "]}}"),
    ("RayCluster, pairs beside TPU", "ray.io", "RayCluster",
     '{"metadata":{"name":"r"},"spec":{"workerGroupSpecs":[{"template":{"spec":{"containers":[{"resources":{"limits":{"google.com/tpu":4}}}]}}},',
     '{"groupName":"#","template":%},{"template":%,"groupName":"#"}', "]}}"),
    ("RayCluster, unprintable pairs", "ray.io", "RayCluster", '{"metadata":{"name":"r"},"spec":{"workerGroupSpecs":[',
     '{"groupName":"\\u0001#","template":%},{"template":%,"groupName":"\\u0001#"}', "]}}"),
    ("RayCluster, few names", "ray.io", "RayCluster", '{"metadata":{"name":"r"},"spec":{"workerGroupSpecs":[',
     '{"groupName":"~","template":%}', "]}}"),
    ("RayJob", "ray.io", "RayJob", '{"metadata":{"name":"r"},"spec":{"rayClusterSpec":{"workerGroupSpecs":[',
     '{"groupName":"#","numOfHosts":2,"replicas":3,"template":%}', "]}}}"),
    ("RayService", "ray.io", "RayService", '{"metadata":{"name":"r"},"spec":{"rayClusterConfig":{"workerGroupSpecs":[',
     '{"groupName":"g","template":%,"suspend":true}', "]}}}"),
    ("JobSet", "jobset.x-k8s.io", "JobSet", '{"metadata":{"name":"j"},"spec":{"replicatedJobs":[',
     '{"template":{"spec":{"template":%}}}', "]}}"),
    ("JobSet, names", "jobset.x-k8s.io", "JobSet", '{"metadata":{"name":"j"},"spec":{"replicatedJobs":[',
     '{"name":"r#","dependsOn":[{"name":"r","status":"Ready"}],"template":{"spec":{"completions":2,"template":%}}}', "]}}"),
]

# One template: kind, group and the object around it.
ONE_TEMPLATE = [
    ("Job", "batch", '{"metadata":{"name":"train"},"spec":{"completions":2,"parallelism":2,"completionMode":"Indexed","template":%}}'),
    ("CronJob", "batch", '{"metadata":{"name":"t"},"spec":{"jobTemplate":{"spec":{"template":%}}}}'),
    ("StatefulSet", "apps", '{"metadata":{"name":"t"},"spec":{"replicas":2,"serviceName":"t","template":%}}'),
    ("Deployment", "apps", '{"metadata":{"name":"t"},"spec":{"template":%}}'),
    ("LeaderWorkerSet", "leaderworkerset.x-k8s.io",
     '{"metadata":{"name":"t"},"spec":{"startupPolicy":"LeaderReady","leaderWorkerTemplate":{"size":2,"leaderTemplate":%,"workerTemplate":%}}}'),
    ("RayCluster", "ray.io", '{"metadata":{"name":"r"},"spec":{"headGroupSpec":{"template":%},"workerGroupSpecs":[{"groupName":"g","numOfHosts":2,"template":%}]}}'),
    ("JobSet", "jobset.x-k8s.io", '{"metadata":{"name":"j"},"spec":{"replicatedJobs":[{"name":"r","template":{"spec":{"completions":2,"template":%}}}]}}'),
]

# Lists of workload objects that are not their templates': kind, group, object; '@' is the list.
IN_OBJECTS = [
    ("owners", "Job", "batch", '{"metadata":{"name":"j","ownerReferences":[{}@]},"spec":{"template":%}}',
     ["{}", '{"kind":"JobSet","controller":true}']),
    ("labels", "Job", "batch", '{"metadata":{"name":"j","labels":{"a":"b"@}},"spec":{"template":%}}', ['"":""', '"k#":"v"']),
    ("annotations", "JobSet", "jobset.x-k8s.io", '{"metadata":{"name":"j","annotations":{"a":"b"@}},"spec":{}}', ['"":""', '"k#":"\\n"']),
    ("rules", "Job", "batch", '{"metadata":{"name":"j"},"spec":{"podFailurePolicy":{"rules":[{}@]},"template":%}}',
     ["{}", '{"onExitCodes":{}}', '{"onExitCodes":{"containerName":"c#"}}', '{"onExitCodes":{"values":[1,2]}}']),
    ("selector", "Job", "batch", '{"metadata":{"name":"j"},"spec":{"selector":{"matchLabels":{"a":"b"@}},"template":%}}', ['"k#":"v"']),
    ("dependsOn", "JobSet", "jobset.x-k8s.io",
     '{"metadata":{"name":"j"},"spec":{"replicatedJobs":[{"name":"r","dependsOn":[{}@],"template":{"spec":{"template":%}}}]}}',
     ["{}", '{"name":""}', '{"name":"r#","status":"Ready"}']),
    ("jobs without template", "JobSet", "jobset.x-k8s.io", '{"metadata":{"name":"j"},"spec":{"replicatedJobs":[{}@]}}', ["{}", '{"name":"n#"}']),
    ("groups without template", "RayCluster", "ray.io", '{"metadata":{"name":"j"},"spec":{"workerGroupSpecs":[{}@]}}',
     ["{}", '{"groupName":"g"}', '{"numOfHosts":1}']),
    ("claim templates", "StatefulSet", "apps", '{"metadata":{"name":"j"},"spec":{"volumeClaimTemplates":[{}@],"template":%}}', ["{}"]),
    ("members", "RayCluster", "ray.io", '{"metadata":{"name":"j"},"spec":{"a":0@}}', ['"a":0', '"":{}']),
]

# What a value that nobody reads, or a text that somebody reads, may be.
VALUES = {
    "text": ('"', "a", '"'), "escapes": ('"', "\\n", '"'), "\\u": ('"', "\\u00e9", '"'), "pairs": ('"', "\\ud83d\\ude00", '"'),
    "two bytes": ('"', "é", '"'), "three bytes": ('"', "€", '"'), "four bytes": ('"', "😀", '"'), "quotes": ('"', '\\"', '"'),
    "backslashes": ('"', "\\\\", '"'), "$(": ('"', "$(", '"'), "<a": ('"', "<a", '"'), "{{": ('"', "{", '"'), "commas": ('"', ",", '"'),
    "dots": ('"', ".", '"'), "x": ('"', "4x", '"'), "digits": ('"', "1", '"'),
}
UNREAD = VALUES | {
    "numbers": ("[0", ",0", "]"), "a number": ("1", "1", ""), "strings": ('[""', ',""', "]"), "objects": ("[{}", ",{}", "]"),
    "lists": ("[[]", ",[]", "]"), "white space": ("[", " ", "]"), "white space between": ("[0", " , 0", "]"),
    "lines": ("[0", ",\n0", "]"), "members": ('{"":0', ',"":0', "}"), "objects in objects": ('{"":{}', ',"":{}', "}"),
    "lists in objects": ('{"":[]', ',"":[]', "}"), "nested lists": ("[0", "," + "[" * 50 + "]" * 50, "]"),
    "nested objects": ("[0", "," + '{"":' * 50 + "0" + "}" * 50, "]"), "nested both": ("[0", "," + '[{"":' * 25 + "0" + "}]" * 25, "]"),
    "list of lists of objects": ("[[{}]", ",[{}]", "]"), "objects of one": ('[{"a":0}', ',{"a":0}', "]"),
    "spaced members": ('{"" : 0', ' , "" : 0', "}"), "null": ("[null", ",null", "]"), "true": ("[true", ",true", "]"),
    "escaped keys": ('{"\\n":0', ',"\\n":0', "}"),
}
READ_TEXTS = [("name", '"name":%'), ("namespace", '"namespace":%'), ("generateName", '"name":null,"generateName":%'),
              ("hostnames", '"annotations":{"tpu-webhook.dev/hostnames":%}'), ("worker id", '"annotations":{"tpu-webhook.dev/worker-id":%}'),
              ("record", '"annotations":{"tpu-webhook.dev/injected":%}'), ("coordinator", '"annotations":{"tpu-webhook.dev/coordinator":%}'),
              ("slice topology", '"annotations":{"cloud.google.com/gke-tpu-slice-topology":%}'),
              ("exclusive topology", '"annotations":{"tpu-webhook.dev/exclusive-topology":%}'),
              ("owner", '"ownerReferences":[{"kind":"Job","name":%,"uid":"u"}]'), ("owner's kind", '"ownerReferences":[{"kind":%}]'),
              ("job name", '"labels":{"batch.kubernetes.io/job-name":%,"batch.kubernetes.io/job-completion-index":"1"}'),
              ("index", '"labels":{"batch.kubernetes.io/job-name":"a","batch.kubernetes.io/job-completion-index":%}'),
              ("unread", '"annotations":{"a":%}')]
READ_IN_SPEC = [("topology", '"nodeSelector":{"cloud.google.com/gke-tpu-accelerator":"tpu-v6e-slice","cloud.google.com/gke-tpu-topology":%}'),
                ("accelerator", '"nodeSelector":{"cloud.google.com/gke-tpu-accelerator":%,"cloud.google.com/gke-tpu-topology":"2x4"}'),
                ("pool", V6E % "2x4" + ',"affinity":{"podAffinity":{"' + REQUIRED + '":[{"topologyKey":%}]}}'),
                ("hostname", V6E % "2x4" + ',"hostname":%'), ("subdomain", V6E % "2x4" + ',"hostname":"train-1","subdomain":%'),
                ("chips", '"initContainers":[{"resources":{"limits":{"google.com/tpu":%}}}]'),
                ("env", '"initContainers":[{"env":[{"name":"TPU_WORKER_HOSTNAMES","value":%}]}]'),
                ("env before its name", '"initContainers":[{"env":[{"value":%,"name":"TPU_PROCESS_ADDRESSES"}]}]'),
                ("container", '"initContainers":[{"name":%,"resources":{"limits":{"google.com/tpu":4}}}]')]


def repeated(element, size, between=","):
    """Numbers of as many digits as there have to be, so that all elements are as short as can be."""
    out, length, number = [], 0, 0
    while length < size:
        text = element.replace("#", str(number)).replace("~", str(number % 1000))
        out.append(text)
        length += len(text.encode()) + len(between)
        number += 1
    return between.join(out)


def made_of(parts, size):
    """A value: what begins it, what is in it again and again, what ends it."""
    begin, again, end = parts
    return begin + again * max(1, size // len(again.encode())) + end


def filled(text, place="", value=""):
    """Each place empty but this one."""
    out = "".join(part if i % 2 == 0 else (value if part == place else "") for i, part in enumerate(text.split("@")))
    return out


def pod(place="", value=""):
    return "{" + filled(POD_METADATA, place, value) + "," + filled(POD_SPEC, place, value) + "}"


def review(group, kind, object_, old="", around=""):
    return ('{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u",' + around +
            f'"kind":{{"group":"{group}","version":"v1","kind":"{kind}"}},"namespace":"d",'
            f'"operation":"{"UPDATE" if old else "CREATE"}","object":{object_}' + (f',"oldObject":{old}' if old else "") + "}}")


@dataclasses.dataclass
class Shape:
    path: str
    name: str
    review: object  # of a size
    decided: int = 0  # templates that are decided like a Pod: 32 of an object, or so many decisions of them


def _with_one_template(group, kind, around, template, old=None):
    """At /mutate nothing has a template: there it is a Pod's."""
    now = around.replace("%", template)
    return review(group, kind, now, around.replace("%", old) if old is not None else "")


def _of_pods():
    kinds = itertools.cycle(ONE_TEMPLATE)
    for place, elements in IN_A_POD:
        for element in elements:
            between = "" if place in ("record", "hostnames") else ","
            front = "" if place in ("record", "hostnames", "nodes") else ","

            def value(size, element=element, between=between, front=front):
                return front + repeated(element, size, between)
            name = f"{place} {element}"
            yield Shape("mutate", name, lambda size, place=place, value=value: review("", "Pod", pod(place, value(size))))
            kind, group, around = next(kinds)
            times = around.count("%")
            yield Shape("validate", f"{kind}: {name}", lambda size, p=place, v=value, a=around, g=group, k=kind, t=times:
                        _with_one_template(g, k, a, pod(p, v(size // t))))


def _of_templates():
    for (api, group, kind, before, item, after), (name, template) in itertools.product(APIS, TEMPLATES.items()):
        def object_(size, item=item, template=template, before=before, after=after, first=0):
            return before + repeated(item.replace("%", template), size) + after
        # KubeRay's last replica is decided, too.
        decided = (64 if api == "RayJob" else 32) if name == "a slice" else 0
        yield Shape("validate", f"{api}: {name}", lambda size, o=object_, g=group, k=kind: review(g, k, o(size)), decided)
        if api in ("RayCluster, names", "RayCluster, names in pairs", "JobSet, names"):
            yield Shape("validate", f"{api}: {name}, UPDATE",
                        lambda size, o=object_, g=group, k=kind: review(g, k, o(size // 2), o(size // 2)), 2 * decided)


def _of_objects():
    for name, kind, group, text, elements in IN_OBJECTS:
        for element in elements:
            yield Shape("validate", f"{kind}: {name} {element}", lambda size, e=element, t=text, g=group, k=kind: review(
                g, k, t.replace("%", pod()).replace("@", "," + repeated(e, size))))


def _of_texts():
    for (where, member), (name, parts) in itertools.product(READ_TEXTS, VALUES.items()):
        spec = filled(POD_SPEC)
        yield Shape("mutate", f"{where} of {name}", lambda size, m=member, p=parts, s=spec: review(
            "", "Pod", '{"metadata":{' + m.replace("%", made_of(p, size)) + "}," + s + "}"))
    for (where, member), (name, parts) in itertools.product(READ_IN_SPEC, VALUES.items()):
        metadata = filled(POD_METADATA)

        def made(size, m=member, p=parts, d=metadata):
            return "{" + d + ',"spec":{' + m.replace("%", made_of(p, size)) + "," + CHIPS + "}}"
        yield Shape("mutate", f"{where} of {name}", lambda size, o=made: review("", "Pod", o(size)))
        yield Shape("validate", f"{where} of {name}", lambda size, o=made: _with_one_template(
            "batch", "Job", ONE_TEMPLATE[0][2], o(size)))


def _of_what_nobody_reads():
    for name, parts in UNREAD.items():
        yield Shape("mutate", f"spec member of {name}", lambda size, p=parts: review(
            "", "Pod", pod("spec", ',"a":' + made_of(p, size))))
        yield Shape("mutate", f"old Pod of {name}", lambda size, p=parts: review(
            "", "Pod", pod(), '{"spec":' + made_of(p, size) + "}"))
        yield Shape("mutate", f"user of {name}", lambda size, p=parts: review(
            "", "Pod", pod(), around='"userInfo":' + made_of(p, size) + ","))
        yield Shape("mutate", f"Pod behind its object, of {name}", lambda size, p=parts: review(
            "", "Pod", pod("spec", ',"a":' + made_of(p, size))).replace('"uid":"u",', "").replace(
                '"operation":"CREATE",', "")[:-2] + ',"uid":"u","operation":"CREATE"}}')
        for kind, group, around in ONE_TEMPLATE[4:7]:
            times = around.count("%")
            yield Shape("validate", f"{kind}: template of {name}", lambda size, p=parts, g=group, k=kind, a=around, t=times: (
                _with_one_template(g, k, a, pod("spec", ',"a":' + made_of(p, size // t)))))
            yield Shape("validate", f"{kind}: template of {name}, UPDATE", lambda size, p=parts, g=group, k=kind, a=around, t=times: (
                _with_one_template(g, k, a, pod("spec", ',"a":' + made_of(p, size // t // 2)), pod("spec", ',"a":' + made_of(p, size // t // 2)))))


def _of_what_is_refused():
    for name, parts in {"lists": ("", "[", ""), "objects": ("", '{"":', ""), "commas": ("", ",", ""), "quotes": ("", '"', ""),
                        "blanks": ("", " ", ""), "zeros": ("", "\0", ""), "bytes that are no UTF-8": ("", "�", ""),
                        "ends": ("", "]", ""), "colons": ("", ":", "")}.items():
        yield Shape("mutate", f"only {name}", lambda size, p=parts: made_of(p, size))
        yield Shape("validate", f"only {name}", lambda size, p=parts: made_of(p, size))
        yield Shape("mutate", f"{name} in a Pod", lambda size, p=parts: review("", "Pod", pod("spec", ',"a":' + made_of(p, size))))
    for path, kind, group in (("mutate", "Pod", ""), ("validate", "Job", "batch")):
        yield Shape(path, "a key twice at the end", lambda size, g=group, k=kind: review(g, k, pod(
            "annotations", "," + repeated('"k#":"v"', size) + ',"tpu-webhook.dev/injected":""')))
        yield Shape(path, "of another kind", lambda size, g=group: review(g, "Other", pod("env", "," + repeated("{}", size))))
    yield Shape("mutate", "a selector's key twice", lambda size: review("", "Pod", pod("selector", "," + repeated('"k#":""', size) + ',"k0":""')))
    yield Shape("mutate", "unknown members of the request", lambda size: review("", "Pod", pod(), around=repeated('"a":0', size) + ","))


def shapes():
    return [*_of_pods(), *_of_templates(), *_of_objects(), *_of_texts(), *_of_what_nobody_reads(), *_of_what_is_refused()]
