// The texts of the webhook's findings: name, description, cause and fix. The ids and levels of the
// findings are in webhook/findings/finding.hpp.
#pragma once

#include "webhook/findings/finding.hpp"

#include <cstddef>
#include <iterator>
#include <string_view>

namespace tpuwh::server::ids {

using webhook::findings::Finding;

struct WebhookRow {
  Finding finding;
  std::string_view name;  // "topology-not-divisible"
  // Whole sentences for people.
  std::string_view what;   // what is found
  std::string_view cause;  // what follows of it, and how it comes about
  std::string_view fix;    // what to do
};

namespace rows {

using enum Finding;

// In the order of Finding.
inline constexpr WebhookRow of_webhook[] = {
    // ---- a topology and its chips
    {placeholder_left, "placeholder-left",
     "A name or a topology contains a placeholder that was never filled in.",
     "The manifest is a template, and a tool such as envsubst or helm should have replaced ${NAME} "
     "before it was applied. No node carries such a label and no DNS name may contain it.",
     "Fill it in and apply the result. For `$NAME` and `${NAME}`: export the variables, then "
     "envsubst < manifest.yaml | kubectl apply -f -. For `{{ }}`: helm template. For `<NAME>`: "
     "edit the file."},
    {topology_malformed, "topology-malformed",
     "The topology is not AxB or AxBxC in whole numbers, or has another number of dimensions than "
     "those of its accelerator.",
     "No node carries such a label, so the Pod could never be scheduled, and the hosts of the "
     "slice cannot be counted.",
     "Write the topology as node labels have it: 4x4, 2x2x2."},
    {topology_not_divisible, "topology-not-divisible",
     "The topology's chip count is not divisible by the chips that each Pod requests.",
     "All hosts of a slice have the same number of chips, and each Pod gets one host. The "
     "remaining chips would not make a host.",
     "Ask for all chips of a node, or select a topology that such nodes form: "
     "`kubectl tpu catalog` shows them."},
    {chips_invalid, "chips-invalid",
     "The resource that asks for chips is not a number of chips that a node can have.",
     "Chips are whole: the API server refuses fractions and suffixes, and no node has more chips "
     "than its machine type.",
     "Ask for all chips of a node, usually 4."},
    {topology_missing, "topology-missing", "The topology of the Pod's slice is not given.",
     "The topology comes from node selector cloud.google.com/gke-tpu-topology, from a required "
     "node affinity with this one value, or from an annotation. Without it the hosts of the slice "
     "are not known, and nothing is injected.",
     "Select one topology, or set the number of hosts with annotation "
     "tpu-webhook.dev/worker-count."},
    {topology_unlisted, "topology-unlisted",
     "The catalog does not list this topology for this accelerator.",
     "Either no node has this label and the Pod stays Pending, or the topology is newer than this "
     "release. The variables are computed by arithmetic and are right if such nodes exist.",
     "Use the topology that the message suggests, or one that `kubectl tpu catalog ACCELERATOR` "
     "lists."},
    {accelerator_unknown, "accelerator-unknown", "The catalog does not list this accelerator.",
     "Either no node has this label and the Pod stays Pending, or the accelerator is newer than "
     "this release. The hosts of the slice are computed by arithmetic.",
     "Use the label that the message suggests, or one that `kubectl tpu catalog` lists."},
    {node_shared, "node-shared",
     "Pods of a multi-host slice ask for fewer chips than its nodes have.",
     "Several Pods then share a node, and the slice has more Pods than hosts: the TPU runtime of "
     "one of them takes the chips of the others. GKE refuses such Pods on multi-host node pools.",
     "Ask for all chips of a node, and for as many Pods as the slice has hosts."},
    {containers_differ, "containers-differ",
     "The containers of the Pod ask for chips in different ways.",
     "Every TPU container is one process of the slice, and all processes have the same number of "
     "chips; before tpu7x one container has all chips of its node. The meaning of any other form "
     "is not known, so nothing is injected.",
     "Let one container ask for all chips of the node, as request and as limit; on tpu7x two may "
     "ask "
     "for half of them each. Exporters and init containers need none."},
    {sub_slice_misfit, "sub-slice-misfit",
     "The sub-slice that an annotation asks for is not part of the selected topology.",
     "GKE's device plugin ignores such an annotation and describes the whole slice, so nothing "
     "that contradicts it is injected.",
     "Choose a sub-slice of the topology: `kubectl tpu catalog ACCELERATOR TOPOLOGY` lists them."},
    {sub_slice_unplaced, "sub-slice-unplaced",
     "Nothing places the Pods of a sub-slice on neighbouring hosts.",
     "The scheduler knows node pools but not sub-slices: two Pods may run on hosts that do not "
     "form such a block, and the slice never forms.",
     "Let Kueue place them with topology-aware scheduling (label kueue.x-k8s.io/queue-name and a "
     "podset topology), or select the block's own label."},
    {no_such_node, "no-such-node", "The node selectors exclude each other.",
     "A node is a Spot node, a flex-start node or one of a reservation, and has one value of each "
     "label, so the Pod stays Pending.",
     "Keep only the intended selector."},
    {claims_unknown, "claims-unknown",
     "The Pod has resource claims that are or may be for TPU chips, and the number is not known.",
     "Chips of a claim are known if the server reads claims (setting claims), and the claim asks "
     "for a number of devices, or for all chips of nodes of which the node selector leaves one "
     "number; of several alternatives if all have the same number, and then what all have in "
     "common is injected, with this warning. Otherwise nothing is injected.",
     "Ask for google.com/tpu, or for an exact count in a ResourceClaimTemplate, and turn on "
     "setting claims. For all chips of a node, select accelerator and topology."},
    {chips_missing, "chips-missing",
     "A template selects TPU nodes, but no container asks for google.com/tpu.",
     "Its Pods would hold TPU nodes without using their chips; the device plugin gives a container "
     "only the chips that it asks for.",
     "Add google.com/tpu to the limits of the container, or remove the node selector."},
    {claim_named, "claim-named", "Hosts of one slice may name one ResourceClaim.",
     "A ResourceClaim is allocated once, and the chips of the TPU DRA driver are on one node: all "
     "Pods that name the claim run there and share these chips. The ids are injected all the same.",
     "Name a ResourceClaimTemplate (resourceClaimTemplateName): Kubernetes makes a claim of it for "
     "each Pod."},
    // ---- who a Pod is
    {index_out_of_range, "index-out-of-range", "The index of a member is outside its slice.",
     "The label or annotation is not a decimal number, or the slice has no such host: the Job asks "
     "for more Pods than the topology has hosts, or the label was written by hand.",
     "Make the number of Pods equal to the number of hosts that the message gives."},
    {identity_missing, "identity-missing", "The Pod's host in the slice is not given.",
     "Its owner writes no index, for example a Job that is not Indexed, or a Deployment. Members "
     "of one slice must have different ids, so none is guessed and nothing is injected.",
     "Use an Indexed Job, a JobSet, a StatefulSet, a LeaderWorkerSet or a Ray worker group; or set "
     "annotations tpu-webhook.dev/worker-id and tpu-webhook.dev/hostnames."},
    {size_contradicts, "size-contradicts",
     "Two sources of the size of the slice, or of the Pod's place in it, differ.",
     "The topology gives one number of hosts, and a group size, an annotation or the RayCluster "
     "gives another. The intended number is not known, so nothing is injected.",
     "Make the number of members equal to the hosts of the topology."},
    {name_contradicts, "name-contradicts",
     "The Pod's host name, or the list of host names, does not fit its place in the slice.",
     "Members find each other by name, and each must find itself at its own place in the list.",
     "Remove spec.hostname or the annotation, or correct it as the message says."},
    {coordinator_invalid, "coordinator-invalid", "Annotation coordinator is not a host name.",
     "All slices of a job meet at this address. If it cannot resolve, nothing is injected.",
     "Write the DNS name of host 0 of slice 0, without a scheme."},
    {coordinator_missing, "coordinator-missing",
     "The job has several slices, but nothing names host 0 of slice 0.",
     "Slices that are separate workloads, or separate replicated jobs of a JobSet's group, cannot "
     "know each other's names, so no MEGASCALE variable is injected.",
     "Set spec.coordinator of the JobSet to Pod 0 of the group's first job; elsewhere add "
     "annotation "
     "tpu-webhook.dev/coordinator with the DNS name of host 0 of slice 0."},
    // ---- names
    {name_invalid, "name-invalid",
     "A host of the slice would have a name that is not valid in DNS.",
     "A DNS label has at most 63 lower-case letters, digits and inner dashes. The name of a Pod "
     "consists of the names of the workload and its group, and an index.",
     "Shorten or correct the name of the workload or of its group."},
    {subdomain_missing, "subdomain-missing", "The hosts of a multi-host slice have no DNS names.",
     "A Pod has a DNS name if spec.subdomain names a headless Service. Without it "
     "TPU_WORKER_HOSTNAMES cannot be injected, and the members wait for each other forever.",
     "Create a headless Service and set spec.subdomain to its name."},
    {names_do_not_resolve, "names-do-not-resolve",
     "The Pod's DNS settings keep it from resolving the other hosts, or them from resolving it.",
     "Names of members resolve through the cluster's name servers and its search path. dnsPolicy "
     "Default has neither, hostNetwork has them only with ClusterFirstWithHostNet, and None has "
     "only those in dnsConfig.",
     "Set dnsPolicy: ClusterFirstWithHostNet beside hostNetwork, ClusterFirst otherwise."},
    // ---- the number of Pods
    {ray_hosts, "ray-hosts",
     "numOfHosts of a Ray worker group is not the number of hosts of its topology.",
     "KubeRay makes numOfHosts Pods for each replica, and each replica must be one slice.",
     "Set numOfHosts to the number that the message gives."},
    {ray_groups_alike, "ray-groups-alike", "Two worker groups of a RayCluster have one name.",
     "Pods are distinguished by the name of their group: two of them would get the same id.",
     "Give each worker group a unique name."},
    {ray_replicas_refused, "ray-replicas-refused",
     "Pods of the later replicas of a Ray worker group are refused.",
     "A larger index makes a name too long, or is beyond MEGASCALE_NUM_SLICES. The first replicas "
     "run.",
     "Lower replicas, shorten the name, or raise MEGASCALE_NUM_SLICES."},
    {jobset_too_few, "jobset-too-few",
     "A replicated job runs fewer Pods at a time than its slice has hosts.",
     "A slice forms when all its hosts run at the same time.",
     "Set completions and parallelism to the number of hosts that the message gives."},
    {job_too_few, "job-too-few", "A Job runs fewer Pods at a time than its slice has hosts.",
     "A program that uses the whole slice waits for the missing hosts forever. It is allowed, "
     "since people also use a Job of one Pod to look at one host.",
     "Set completions and parallelism to the number of hosts that the message gives."},
    {completions_too_many, "completions-too-many",
     "A Job has more completions than its slice has hosts.",
     "The slice forms, and the Pods beyond it are refused, so the Job never completes.",
     "Set completions to the number of hosts that the message gives."},
    {lws_size, "lws-size",
     "A group of a LeaderWorkerSet does not have as many members as its slice has hosts.",
     "A group, or a subgroup, is one slice, and it forms when all its hosts run.",
     "Set size (or subGroupSize) to the number of hosts; a leader without chips is not in the "
     "slice."},
    {lws_templates_differ, "lws-templates-differ",
     "Leader and workers of one slice have different TPU containers.",
     "Each Pod lists the processes of all members as its own template has them, so the two lists "
     "differ and the slice never forms.",
     "Give both templates the same TPU containers, or the leader none."},
    {statefulset_size, "statefulset-size",
     "The replicas of a StatefulSet are not a multiple of the hosts of a slice.",
     "Each run of consecutive ordinals is a slice; the last one lacks hosts and waits forever.",
     "Set replicas to a multiple of the number of hosts that the message gives."},
    {deployment_of_hosts, "deployment-of-hosts",
     "A Deployment or a Job without indexes makes Pods of a multi-host slice.",
     "Its Pods are identical: nothing identifies the host of each Pod, so nothing is injected.",
     "Use a LeaderWorkerSet or a StatefulSet for servers, an Indexed Job or a JobSet for "
     "training."},
    {templates_unchecked, "templates-unchecked",
     "The object has more TPU templates than are checked.",
     "One review checks at most 32 templates, to bound its cost. The Pods of the others are "
     "checked when they are created.",
     "No action is needed."},
    {controller_refuses, "controller-refuses",
     "The API server or an operator refuses the object, or an object that its controller makes.",
     "If an object that a controller makes is refused, only an event of the workload object, or of "
     "one that it made, reports it: the workload object exists, but its Pods never do.",
     "Set the field as the message says, or remove it."},
    {made_when_ready, "made-when-ready",
     "Some Pods of a slice are created only when others of it are Ready.",
     "A program that waits for all hosts of its slice is not Ready before they exist, and they are "
     "not created before it is Ready.",
     "Have all Pods created at once, as the message says, or remove the probe."},
    {lws_subgroups_of_one, "lws-subgroups-of-one",
     "Subgroups of a LeaderWorkerSet have one Pod each.",
     "The webhook of LeaderWorkerSet before 0.10 writes the name of another Pod into "
     "TPU_WORKER_HOSTNAMES of such a Pod, and -1 as its id (lws#917). The id is repaired; the list "
     "belongs to the owner and is kept.",
     "Use groups of one Pod and more replicas, or LeaderWorkerSet 0.10."},
    // ---- variables
    {too_long, "too-long",
     "A variable, or everything that would be injected, is longer than Linux or Kubernetes allow.",
     "The kernel starts no program with a variable above 131,071 bytes, and the API server stores "
     "no object above 1.5 MiB.",
     "Shorten the names of the workload and its Service, or use fewer containers per host."},
    {value_kept, "value-kept",
     "A value that the manifest sets differs from what this Pod's place in the slice gives.",
     "Values of users are never overwritten, and the variables that are read together with this "
     "one "
     "are not completed: whoever set it decided about all of them.",
     "Remove the variable or the label from the manifest, or set annotation inject: \"false\" and "
     "all of the variables."},
    {port_invalid, "port-invalid", "TPU_PROCESS_PORT is not a port number.",
     "The port of each process is in TPU_PROCESS_ADDRESSES, which is therefore not injected, nor "
     "is what is read together with it.",
     "Remove TPU_PROCESS_PORT, or set it to a number from 1 to 65535."},
    {port_twice, "port-twice", "Two TPU containers of one Pod have the same TPU_PROCESS_PORT.",
     "Containers of a Pod share its ports: the second process cannot listen.",
     "Remove TPU_PROCESS_PORT, or give each container a different one."},
    {torch_misfit, "torch-misfit", "The variables of torch_tpu cannot be computed for this slice.",
     "They name each device by its place, which is only known for some shapes and containers. "
     "Everything else is injected.",
     "Set them in the manifest, or turn off setting torchTpu."},
    {addresses_in_file, "addresses-in-file",
     "TPU_PROCESS_ADDRESSES_PATH names a file with the addresses of the processes.",
     "JAX reads the file in place of TPU_WORKER_HOSTNAMES and TPU_PROCESS_ADDRESSES, and "
     "TPU_WORKER_ID is the number of a line in it. The webhook cannot see whether the two agree.",
     "Remove the variable, or write the file in the order of the injected list."},
    {driver_decides, "driver-decides",
     "The chips of a slice are asked for by claim, and their driver may contradict what is "
     "injected.",
     "What a driver of resource claims writes into a container replaces the variable of that name, "
     "injected or not. The TPU DRA driver describes the node, whatever the claim says: where it "
     "does not know the topology of a node, it takes the node for a slice of one host, and every "
     "host is worker 0; of sub-slices it knows nothing.",
     "Select the nodes by cloud.google.com/gke-tpu-topology, which the driver reads too. Nodes "
     "without that label need tpu.google.com/topology before the driver starts on them. For a "
     "sub-slice, ask for google.com/tpu."},
    // ---- placement
    {exclusive_topology_invalid, "exclusive-topology-invalid",
     "Annotation exclusive-topology is not the key of a node label.",
     "It names the domain in which a slice is alone. Without a key no affinity is added.",
     "Write a label key, such as cloud.google.com/gke-nodepool, or \"none\"."},
    {selector_contradicts_leader, "selector-contradicts-leader",
     "A follower selects another domain than the one where its leader runs.",
     "The slice is then spread over two domains and never forms. The selector is kept.",
     "Remove the node selector, or give leader and followers the same."},
    {scheduling_group, "scheduling-group",
     "The Pod is in a scheduling group, which by itself does not keep a slice on one node pool.",
     "A group waits until all its Pods fit somewhere. Only one with a topology constraint keeps "
     "them on one node pool, and the Pod does not show whether its group has one. The terms are "
     "added, since a slice that is not whole on one pool never forms.",
     "If the group has no constraint, no action is needed; otherwise add annotation "
     "tpu-webhook.dev/exclusive-topology: none."},
    {pool_shared, "pool-shared", "Several multi-host slices select one node pool.",
     "A node pool of a multi-host topology is one slice, so one of them gets it and the others "
     "wait, or none of them is whole.",
     "Remove the selector for the node pool, or give each slice its own node pool."},
};

static_assert(std::size(of_webhook) == webhook::findings::finding_count);
static_assert([] {
  for (std::size_t i = 0; i < std::size(of_webhook); ++i)
    if (static_cast<std::size_t>(of_webhook[i].finding) != i) return false;
  return true;
}());

}  // namespace rows

inline const WebhookRow& words_of(Finding finding) {
  return rows::of_webhook[static_cast<std::size_t>(finding)];
}

}  // namespace tpuwh::server::ids
