// The search attributes that a workflow writes: all but those that its namespace refused at its
// start, with which every task would fail (decision 137). The memo names them, because the server
// changes the attributes of the start event when an attribute is registered or removed.
import type { SearchAttributePair } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { OMITTED_ATTRIBUTES } from './messages';

export function writeSearchAttributes(changes: readonly SearchAttributePair[]): void {
  const omitted = workflowInfo().memo?.[OMITTED_ATTRIBUTES] ?? [];
  const names: readonly unknown[] = Array.isArray(omitted) ? omitted : [];
  const accepted = changes.filter(({ key }) => !names.includes(key.name));
  if (accepted.length > 0) upsertSearchAttributes(accepted);
}
