// Everything a decision is made in, reused from review to review.
#pragma once

#include "webhook/decide/env_values.hpp"
#include "webhook/decide/env_wanted.hpp"
#include "webhook/decide/facts.hpp"
#include "webhook/decide/notes.hpp"
#include "webhook/decide/provenance.hpp"
#include "webhook/decide/shape.hpp"
#include "webhook/decide/write_placement.hpp"
#include "webhook/text/buffer.hpp"
#include "webhook/workloads/member.hpp"
#include "webhook/write/patch.hpp"

#include <string>

namespace tpuwh::webhook::decide {

struct Scratch {
  Shape shape;
  workloads::Member member;
  Facts facts;
  EnvValues values;
  WantedEnv wanted;
  Affinities affinities;
  Provenance before, after;
  Notes notes;
  write::Patch patch;
  text::Buffer description;  // "worker 1 of 4 in slice 0 of 2 …", "" where not known
  text::Buffer text;         // an annotation while it is written
  std::string service;
  bool frozen = false;  // a second look with nothing changed: env stays as it is
};

}  // namespace tpuwh::webhook::decide
