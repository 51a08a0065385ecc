// A database on which decisions need two people, with a login of each role (decision 159).
import { approve, ask } from '../../src/postgres/approvals/approvals';
import type { Decision } from '../../src/postgres/approvals/decide';
import { createDatabase, type LendingDatabase } from '../../src/postgres/database';
import { openTestBed, type TestBed } from './builders';
import { NOON } from './clock';
import { aPartner, type TestPartner } from './payments/partner';
import { aRoleLogin, type OurRole, type RoleLogin } from './servers/role-login';

const LOGINS = {
  ann: 'payments_operator',
  ben: 'payments_operator',
  cleo: 'payments_approver',
  sue: 'payments_support',
  rob: 'payments_reports',
  app: 'payments_app',
} as const satisfies Readonly<Record<string, OurRole>>;

let fundings = 0;

/** A decision that needs two people, with a key of its own. */
export function aFunding(usdCents = 100): Decision {
  fundings += 1;
  const given = { key: `k${String(fundings)}`, amount_usd_cents: usdCents };
  return { verb: 'accounts fund', given };
}

/** An approval by a second person. */
export const YES = { isAlone: false, reason: undefined };

export type Person = keyof typeof LOGINS;

interface Hands {
  /** The connection of the owner, and the stores of the service. */
  readonly bed: TestBed;
  readonly partner: TestPartner;
  readonly as: Readonly<Record<Person, LendingDatabase>>;
  readonly loginOf: Readonly<Record<Person, RoleLogin>>;
  /** What the owner of the database alone may write. */
  setPolicy(policy: string): Promise<void>;
  /** What an operator asks for. @returns the id */
  asked(decision: Decision, by?: Person): Promise<string>;
  /** The same, approved by Cleo. */
  approved(decision: Decision): Promise<string>;
  /** Policy and clock as at the start; nothing is stopped or closed. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export async function openFourEyes(): Promise<Hands> {
  const bed = await openTestBed();
  const partner = await aPartner(bed, { jwksUrl: 'http://127.0.0.1:9/.well-known/jwks.json' });
  const loginOf = {} as Record<Person, RoleLogin>;
  const as = {} as Record<Person, LendingDatabase>;
  for (const [person, role] of Object.entries(LOGINS) as [Person, OurRole][]) {
    const login = await aRoleLogin(bed.url, role);
    await login.grantRoles();
    loginOf[person] = login;
    as[person] = createDatabase({
      url: login.url,
      poolSize: 2,
      onLostConnection: () => undefined,
    });
  }
  const setPolicy = async (policy: string) => {
    await bed.database.query({ text: `update service_environment set ${policy}` });
  };
  const asked = async (decision: Decision, by: Person = 'ann') =>
    (await ask(as[by], decision, decision.verb.split(' '))).id;
  const approved = async (decision: Decision) => {
    const id = await asked(decision);
    await approve(as.cleo, id, YES);
    return id;
  };
  await bed.database.query({
    text: `insert into service_environment (environment, baseline) values ('prod', 'a test')
               on conflict (is_only) do update set environment = 'prod', four_eyes = true`,
  });
  return {
    ...{ bed, partner, as, loginOf, setPolicy, asked, approved },
    async reset() {
      await bed.setNow(NOON);
      await setPolicy('four_eyes = true, break_glass = false');
      for (const table of ['payout_stops', 'closures']) {
        await bed.database.query({
          text: `update ${table} set ended_at = now(), ended_by = 'x', ended_reason = 'x'
                  where ended_at is null`,
        });
      }
    },
    async close() {
      await Promise.all(Object.values(as).map((database) => database.close()));
      await bed.close();
      for (const login of Object.values(loginOf)) await login.drop();
    },
  };
}
