// The service accepts the sample codes that partners use to try it (decision 20).
import { CORRIDORS } from '../../src/domain/corridor';
import { parseQrPayload } from '../../src/domain/qr/payload';
import { SAMPLE_CODES } from '../../src/sandbox/sample-codes';

describe('the sample codes', () => {
  it.each(CORRIDORS)('have one for %s that names a merchant and no amount', (corridor) => {
    const read = parseQrPayload(SAMPLE_CODES[corridor], corridor);
    const name = expect.stringContaining('SANDBOX') as unknown;
    expect(read).toMatchObject({ corridor, amountMinorUnits: null, merchant: { name } });
  });
});
