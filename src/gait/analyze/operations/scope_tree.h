// The scopes of operations as a tree with totals rolled up.
//
// Both trees (scopes and layers) begin with the host scopes that launched the work (host_scopes.h), where
// operations are told apart by them: forward_pass -> layer_0 -> jit(tanh).
//
// Scopes: jit(train_step) -> forward, backward, rematerialised, outside gradient (where it has one) ->
// layer_3 -> attention. Operations of a row that are in no row below it stand in the row "(itself)", so that
// the leaves sum to the whole. Layers: forward and backward are apart at the root. Elements that differ only
// in a number at their end are one row (layer_*), with the spread between them.
#pragma once

#include <vector>

#include "gait/analyze/operations/operation_groups.h"

namespace gait::analyze {

std::vector<OpGroup> ScopeTree(const Operations& operations, const std::vector<OpRoof>& roofs);
std::vector<OpGroup> LayerTree(const Operations& operations, const std::vector<OpRoof>& roofs);

// Adds an operation to the sums of a group (all but `time`). Members that differ between operations become
// empty.
void AddTo(OpGroup& group, const OpTotal& total, const OpRoof& roof);

}  // namespace gait::analyze
