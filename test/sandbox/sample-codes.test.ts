// The codes that partners are given to try with are codes that the service takes (decision 20).
import { CORRIDORS } from '../../src/domain/corridor';
import { parseQrPayload } from '../../src/domain/qr/payload';
import { SAMPLE_CODES } from '../../src/sandbox/sample-codes';

describe('the sample codes', () => {
  it.each(CORRIDORS)(
    'have one for %s that names a merchant and leaves the amount open',
    (corridor) => {
      const read = parseQrPayload(SAMPLE_CODES[corridor], corridor);
      const name = expect.stringContaining('SANDBOX') as unknown;
      expect(read).toMatchObject({ corridor, amountMinorUnits: null, merchant: { name } });
    },
  );
});
