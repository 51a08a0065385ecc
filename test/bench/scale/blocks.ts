// Blocks of one kind of request, prepared before they are sent.
import type { TestPartner } from '../../support/partner';
import type { Answer } from '../comparison';
import { CONFIRMED } from '../confirm-captured';
import { CREATED } from '../create';
import type { Payments } from '../payments';
import { confirmRequest, createRequest } from '../requests';

export type BlockKind = 'create' | 'confirm';

interface Ground {
  readonly payments: Payments;
  readonly partner: TestPartner;
  readonly count: number;
}

interface PreparedBlock {
  readonly requests: readonly Uint8Array[];
  readonly answer: Answer;
}

export async function aBlock(
  kind: BlockKind,
  { payments, partner, count }: Ground,
): Promise<PreparedBlock> {
  if (kind === 'create') {
    const requests = Array.from({ length: count }, () => createRequest(partner));
    return { requests, answer: CREATED };
  }
  const begun = await payments.begin([partner], count);
  return {
    requests: begun.map(({ intent }) => confirmRequest(partner, intent)),
    answer: CONFIRMED,
  };
}
