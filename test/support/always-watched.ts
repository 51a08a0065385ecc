/** A statement after which the watch over restores has always ticked lately, although none runs. */
export const ALWAYS_WATCHED = `update restore_watch set ticked_at = '2100-01-01'`;
