// Secrets at rest (architecture, section 5): each is sealed for its own row.
import { startApp } from '../../support/app';
import { countOf, openTestBed } from '../../support/builders';
import { aPartner } from '../../support/payments/partner';
import { statusOfSigned } from '../../support/programs/payctl';

it('a sealed secret that is copied to another key’s row cannot be opened there', async () => {
  const bed = await openTestBed();
  const app = await startApp(bed);
  try {
    const [one, two] = [await aPartner(bed), await aPartner(bed)];
    await bed.database.query({
      text: `update signing_keys k set secret_sealed = o.secret_sealed
               from signing_keys o where k.key_id = $1 and o.key_id = $2`,
      values: [one.key_id, two.key_id],
    });
    const forged = { key_id: one.key_id, signing_secret: two.signing_secret };
    expect(await statusOfSigned(app, bed, forged)).not.toBe(404);
    expect(await statusOfSigned(app, bed, two)).toBe(404);
    const clear = `select count(*) from signing_keys
                    where position($1::bytea in secret_sealed) > 0`;
    expect(await countOf(bed, clear, [Buffer.from(two.signing_secret)])).toBe(0);
  } finally {
    await app.close();
    await bed.close();
  }
});
