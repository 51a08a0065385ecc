// Checks of a whole payment, for a sandbox alone: a confirm moves money anywhere else.
import type { Check, Finding } from './check';
import { INTENTS, textMember, type Environment } from './environment';
import { describe, type Answer } from './exchange';
import { serviceFinding } from './signing-checks';
import { mint, type TokenSigner } from './tokens';

const READS_MAX = 60;
const BETWEEN_READS_MS = 500;

export function paymentChecks(environment: Environment, signer: TokenSigner): readonly Check[] {
  let [intentId, token] = ['', ''];
  const confirm = () => {
    const request = { method: 'POST', path: `${INTENTS}/${intentId}/confirm` } as const;
    return environment.sendWith(request, { Authorization: `Bearer ${token}` });
  };
  return [
    {
      name: 'A confirm by a token is answered 200.',
      async run() {
        const created = await environment.create();
        intentId = textMember(created.text, 'intent_id') ?? '';
        token = await mint(signer, environment, intentId);
        return confirmedFinding(await confirm());
      },
    },
    {
      name: 'The payment is captured within 30 seconds.',
      run: async () => capturedFinding(await readSettled(environment, intentId)),
    },
    {
      name: 'The token confirms only once.',
      async run() {
        const again = await confirm();
        return serviceFinding(again, again.status === 401);
      },
    },
    {
      name: 'A cancel after the capture is 409.',
      async run() {
        const answer = await environment.cancel(intentId);
        return serviceFinding(answer, answer.status === 409);
      },
    },
  ];
}

function confirmedFinding(answer: Answer): Finding {
  const finding = serviceFinding(answer, answer.status === 200);
  if (answer.status !== 400) return finding;
  return { ...finding, advice: 'Leave out --sandbox: this environment requires a scanned code.' };
}

function capturedFinding(answer: Answer): Finding {
  const status = textMember(answer.text, 'status');
  return {
    isRight: status === 'captured',
    found: status === undefined ? describe(answer) : `It is ${status}.`,
    advice: 'Give an --amount that the sandbox pays, such as 1.',
  };
}

async function readSettled(environment: Environment, intentId: string): Promise<Answer> {
  for (let reads = 1; ; reads += 1) {
    const answer = await environment.get(intentId);
    if (textMember(answer.text, 'status') !== 'authorized' || reads === READS_MAX) return answer;
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_READS_MS));
  }
}
