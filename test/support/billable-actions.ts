// What Temporal Cloud bills of a run: its start, updates, activities, markers of local activities, search attribute writes and
// timers (architecture, section 8).
const BILLABLE = [
  'WORKFLOW_EXECUTION_STARTED',
  'WORKFLOW_EXECUTION_UPDATE_ACCEPTED',
  'ACTIVITY_TASK_SCHEDULED',
  'MARKER_RECORDED',
  'UPSERT_WORKFLOW_SEARCH_ATTRIBUTES',
  'TIMER_STARTED',
];

/** @param eventTypes as a history in JSON names them */
export function countBillableActions(eventTypes: readonly string[]): number {
  return eventTypes.filter((type) => BILLABLE.some((billable) => type.endsWith(billable))).length;
}
