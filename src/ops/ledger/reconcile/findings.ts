// `payctl reconcile findings`: the stored differences, without a new reconciliation.
import { listFindings } from '../../../postgres/reports/findings';
import { verb } from '../../verb';
import { findingJson, findingLines } from './view';

export const findings = verb('findings', {
  does: 'Show again the differences that were found and are still open, the oldest first, each with the next command.',
  work() {
    return ({ database }) => listFindings(database, null);
  },
  json: (found) => found.map(findingJson),
  lines: (found) => (found.length === 0 ? ['No difference is open.'] : found.flatMap(findingLines)),
});
