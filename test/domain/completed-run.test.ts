// Rows in production hold this text, and the sweep knows them by it: another text would have it start their runs again.
import { RUN_HAS_COMPLETED, runHasCompleted } from '../../src/domain/completed-run';

it('an open row whose run has completed is told in the words that rows hold already', () => {
  expect(RUN_HAS_COMPLETED).toBe('The workflow has completed, but the row says ');
  expect(runHasCompleted('authorized')).toBe(
    'The workflow has completed, but the row says authorized. Was a database restored?',
  );
});
