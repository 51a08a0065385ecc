// The check of `npm start` that every printed address serves.
import { everyAddressAnswers } from '../../../src/dev/stack/addresses';

const NOBODY = 'http://127.0.0.1:1';

it('names the logs of its own folder when an address does not serve', async () => {
  const running = {
    ...{ base_url: NOBODY, checkout_url: NOBODY, provider_url: NOBODY, database_url: '' },
    ...{ temporal_address: '', temporal_ui_url: '', partners: [], processes: [] },
    ...{ metrics_url: NOBODY, worker_metrics_url: NOBODY },
  };
  await expect(everyAddressAnswers(running, '/data/sandbox')).rejects.toThrow(
    /^http:\/\/127\.0\.0\.1:1\S* does not serve \(.+\): see \/data\/sandbox\/logs for the reason\.$/,
  );
});
