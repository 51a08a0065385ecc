// payctl as two people use it (decision 159): an operator asks, and an approver approves.
import { aRoleLogin, type RoleLogin } from '../servers/role-login';
import { runToEnd, type ProgramResult, type ProgramSettings } from './run-to-end';

const WAITS_FOR_APPROVAL = 4;

interface Asked {
  readonly approval: { readonly id: string };
}

interface TwoPeople {
  /** The login of the operator. */
  readonly operator: string;
  /** What needs two people is approved at once, and needs --json. */
  payctl(...args: readonly string[]): Promise<ProgramResult>;
  /** After the migration. */
  grantRoles(): Promise<void>;
  drop(): Promise<void>;
}

/** @param settings of payctl */
export async function twoPeopleOn(
  databaseUrl: string,
  settings: ProgramSettings,
): Promise<TwoPeople> {
  const operator = await aRoleLogin(databaseUrl, 'payments_operator');
  const approver = await aRoleLogin(databaseUrl, 'payments_approver');
  const run = ({ url }: RoleLogin, args: readonly string[]) =>
    runToEnd('src/ops/payctl.ts', args, { ...settings, DATABASE_URL: url });
  return {
    operator: operator.name,
    async payctl(...args) {
      const asked = await run(operator, args);
      if (asked.code !== WAITS_FOR_APPROVAL) return asked;
      const { approval, ...secrets } = JSON.parse(asked.stdout) as Asked;
      const approved = await run(approver, ['approvals', 'approve', approval.id, '--json']);
      if (approved.code !== 0) return approved;
      const printed = JSON.parse(approved.stdout) as object;
      return { ...approved, stdout: JSON.stringify({ ...printed, ...secrets }) };
    },
    async grantRoles() {
      await operator.grantRoles();
      await approver.grantRoles();
    },
    async drop() {
      await operator.drop();
      await approver.drop();
    },
  };
}
