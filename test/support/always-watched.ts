/**
 * Sets the last tick of the restore watch to a late date, for databases without a running watch.
 */
export const ALWAYS_WATCHED = `update restore_watch set ticked_at = '2100-01-01'`;
