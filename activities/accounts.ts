// The accounts at a corridor's provider: the current one, which is sent to, and former ones, which
// are only queried (decision 151).
import type { Corridor } from '../src/corridors/names';
import { weakestOf, type Abilities } from '../src/domain/payouts/permissions';
import type {
  PayoutAdapter,
  PayoutProvider,
  PayoutQuestion,
  QueryAnswer,
} from '../src/ports/payout-provider';
import type { OrderTerms } from '../src/ports/payouts';

export interface Accounts {
  readonly providers: Readonly<Record<Corridor, PayoutProvider>>;
  /** Accounts that payments in flight were sent through. */
  readonly formerProviders: Readonly<Partial<Record<Corridor, readonly PayoutProvider[]>>>;
}

export interface AccountsAnswer {
  readonly answer: QueryAnswer;
  /** Of the account that answered, or what all have in common. */
  readonly abilities: Abilities;
  /** Whether that account repeats what the payee gets. */
  readonly confirmsLocal: boolean;
}

/**
 * Queries the account that the first request went to. If no request is in the row, one may be
 * forgotten: then every account is queried, and the key is unknown only where each says so.
 */
export async function findInAccounts(
  question: PayoutQuestion,
  { account }: OrderTerms,
  accounts: Accounts,
): Promise<AccountsAnswer> {
  const asked = adaptersFor(question.corridor, account, accounts);
  const answers = await Promise.all(
    asked.map(async (adapter): Promise<AccountsAnswer> => {
      const { abilities } = adapter;
      const answer = await adapter.find(question);
      return { answer, abilities, confirmsLocal: abilities.confirmsLocal };
    }),
  );
  const says = (outcomes: readonly string[]) =>
    answers.find(({ answer }) => outcomes.includes(answer.outcome));
  const abilities = weakestOf(asked.map((adapter) => adapter.abilities));
  const denied = { answer: { outcome: 'not_found' }, abilities, confirmsLocal: true } as const;
  return says(HAS_THE_ORDER) ?? says(['unknown']) ?? denied;
}

const HAS_THE_ORDER: readonly QueryAnswer['outcome'][] = [
  ...(['paid', 'returned', 'pending', 'declined'] as const),
];

function adaptersFor(
  corridor: Corridor,
  account: string | null,
  accounts: Accounts,
): readonly PayoutAdapter[] {
  const all = accountsOf(corridor, accounts);
  if (account === null) return all;
  return [all.find((provider) => provider.account === account) ?? notConfigured(account)];
}

/** The current one and the former ones. */
export function accountsOf(
  corridor: Corridor,
  { providers, formerProviders }: Accounts,
): readonly PayoutProvider[] {
  return [providers[corridor], ...(formerProviders[corridor] ?? [])];
}

/** Its payouts are not sent again: nobody can say what became of them. */
function notConfigured(account: string): PayoutAdapter {
  const cause = `It was sent through the account ${account}, which the settings do not name.`;
  const unknown = () => Promise.resolve({ outcome: 'unknown', cause } as const);
  return { abilities: NO_ABILITIES, pay: unknown, find: unknown };
}

const NO_ABILITIES = {
  ...({ repeat: 'unsafe', findsByKey: false, notFoundIsProof: false } as const),
  ...{ refusalIsFinal: false, declineIsFinal: false },
  ...{ needsLocal: false, confirmsLocal: true, askAfterPaidDays: 0 },
};
