// From a Pod template to a Pod, and what several controllers do to it.
#pragma once

#include "kubectl/objects/json_path.hpp"
#include "kubectl/predict/expand/reading.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace tpuwh::server::expand {

// Gets each Pod; false ends it.
using Visit = std::function<bool(const Json& pod)>;

// Who makes a Pod: the object that its ownerReferences name.
struct Owner {
  std::string api_version, kind, ns, name;
  std::string uid() const;
};

// An object that makes Pods, as far as those of all kinds are read alike.
struct Parent {
  const Json& object;
  Owner self;
  const Json& spec;
};

// Who `object` is. One without a name but with generateName is named as the API server would.
//
//   errors  bad_value: it has neither; wrong_type
Result<Owner> owner_of(const Json& object, std::string_view api_version, std::string_view kind,
                       const ExpandOptions& options);

// The Pod template under `key`: what controllers read and change of it has the right type, so that
// it needs no more looking at.
//
//   errors  bad_value where it, its spec or its containers are missing; wrong_type
Result<const Json*> need_template(const Json& parent, const char* key, const std::string& path);
// The same of what stands inside a Pod or a template.
Result<void> check_pod(const Json& pod, const std::string& path);

// A Pod as controllers begin it: labels, annotations and finalizers of the template, its spec, and
// the owner. `name` is left out where it is "".
//   source  kubernetes/kubernetes pkg/controller/controller_utils.go, GetPodFromTemplate, v1.36.3
Json begin_pod(const Json& pod_template, const Owner& owner, std::string_view name,
               std::string_view generate_name);

void set_label(Json& pod, const char* key, std::string value);
void set_annotation(Json& pod, const char* key, std::string value);
using objects::annotation;
using objects::label;
bool has_annotation(const Json& object, const char* key);

// Containers, then init containers.
void for_each_container(Json& pod, const std::function<void(Json& container)>& change);

const Json* find_env(const Json& container, std::string_view name);
bool has_env(const Json& container, std::string_view name);
void append_env(Json& container, std::string_view name, std::string value);
void append_field_env(Json& container, std::string_view name, std::string field_path);

// Appends to requiredDuringSchedulingIgnoredDuringExecution of "podAffinity" or "podAntiAffinity".
void append_required(Json& pod, const char* affinity, Json term);

// One of matchExpressions; without values for "Exists".
Json expression(std::string_view key, std::string_view what, const Json& values = {});

}  // namespace tpuwh::server::expand
