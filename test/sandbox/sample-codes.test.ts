// The service accepts the sample codes that partners use to try it (decision 20).
import { CORRIDORS } from '../../src/corridors/names';
import { SCHEMES } from '../../src/corridors/registry';
import { parseQrPayload } from '../../src/domain/qr/payload';

describe('the sample codes', () => {
  it.each(CORRIDORS)('have one for %s that names a merchant and no amount', (corridor) => {
    const read = parseQrPayload(SCHEMES[corridor].sampleCode, corridor);
    const name = expect.stringContaining('SANDBOX') as unknown;
    expect(read).toMatchObject({ corridor, amountMinorUnits: null, merchant: { name } });
  });
});
