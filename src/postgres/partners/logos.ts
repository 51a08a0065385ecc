// The logos of partners over Postgres. The cached directory has no pictures: it is read as a whole
// after every change.
import type { PartnerLogos } from '../../ports/partner-directory';
import { readRows, type Queryable } from '../database';

export function createPartnerLogos(database: Queryable, environment: string): PartnerLogos {
  return {
    async read(logoId) {
      const [row] = await readRows<{ readonly png: Buffer }>(database, {
        name: 'read-logo',
        text: `select logo_png as png from partners where environment = $1 and logo_id = $2`,
        values: [environment, logoId],
      });
      return row?.png;
    },
  };
}
