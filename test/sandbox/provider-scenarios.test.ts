// The provider's behaviour for each magic amount (architecture, section 6), over real HTTP.
import { SCENARIOS } from '../../src/sandbox/scenarios';
import { ProviderCaller, payoutReply, untilUnanswered } from './provider-caller';

const KEY = 'pi_1:payout';
const UNKNOWN = { status: 404, body: { error: 'not_found', key: KEY } };
const FAILED = { status: 500, body: { error: 'The provider failed, as this amount requests.' } };

let provider: ProviderCaller;

beforeEach(async () => {
  provider = new ProviderCaller();
  await provider.start();
});
afterEach(() => provider.stop());

const post = (amount: number) => provider.post({ key: KEY, amount });
const executed = async () =>
  (await provider.journal()).map(({ key, amount_usd_cents: amount }) => ({ key, amount }));

/**
 * Sends a request and waits until the provider holds it unanswered, which it does for a minute of
 * the schedule.
 */
async function sendUnanswered(send: () => Promise<unknown>): Promise<{ end(): Promise<unknown> }> {
  const sent = await untilUnanswered(provider, send());
  return {
    end: () => {
      provider.time.advance(60_000);
      return sent.ended;
    },
  };
}

describe('any other amount', () => {
  it.each([1, 40_000, 40_011, 40_012, 40_014, 100_000_000])(
    '%d is paid at once, and GET by key answers paid',
    async (amount) => {
      expect(await provider.get(KEY)).toEqual(UNKNOWN);
      expect(await post(amount)).toEqual(payoutReply(KEY, 'paid', amount));
      expect(await provider.get(KEY)).toEqual(payoutReply(KEY, 'paid', amount));
      expect(await executed()).toEqual([{ key: KEY, amount }]);
    },
  );
});

describe('40001', () => {
  it('is declined, also after a restart, and moves nothing', async () => {
    expect(await post(40_001)).toEqual(payoutReply(KEY, 'declined', 40_001));
    await provider.restart();
    expect(await post(40_001)).toEqual(payoutReply(KEY, 'declined', 40_001));
    expect(await provider.get(KEY)).toEqual(payoutReply(KEY, 'declined', 40_001));
    expect(await executed()).toEqual([]);
  });
});

describe('40002', () => {
  it('is executed without an answer to the POST; GET then answers paid', async () => {
    const first = await sendUnanswered(() => post(40_002));
    expect(await executed()).toEqual([{ key: KEY, amount: 40_002 }]);
    expect(await provider.get(KEY)).toEqual(payoutReply(KEY, 'paid', 40_002));
    expect(await first.end()).toBe('not answered');
  });

  it('does not answer a repeat after a restart, and is executed once', async () => {
    await (await sendUnanswered(() => post(40_002))).end();
    await provider.restart();
    const repeat = await sendUnanswered(() => post(40_002));
    expect(await repeat.end()).toBe('not answered');
    expect(await provider.get(KEY)).toEqual(payoutReply(KEY, 'paid', 40_002));
    expect(await executed()).toHaveLength(1);
  });
});

describe('40003', () => {
  it('fails twice with nothing executed, then pays, also over a restart', async () => {
    expect(await post(40_003)).toEqual(FAILED);
    expect(await provider.get(KEY)).toEqual(UNKNOWN);
    await provider.restart();
    expect(await post(40_003)).toEqual(FAILED);
    expect(await executed()).toEqual([]);
    expect(await post(40_003)).toEqual(payoutReply(KEY, 'paid', 40_003));
    expect(await executed()).toEqual([{ key: KEY, amount: 40_003 }]);
  });
});

describe('40004', () => {
  it('is pending for 3 s, then paid', async () => {
    expect(await post(40_004)).toEqual(payoutReply(KEY, 'pending', 40_004));
    provider.time.advance(2_999);
    expect(await provider.get(KEY)).toEqual(payoutReply(KEY, 'pending', 40_004));
    expect(await executed()).toEqual([]);
    provider.time.advance(1);
    expect(await provider.get(KEY)).toEqual(payoutReply(KEY, 'paid', 40_004));
    expect(await post(40_004)).toEqual(payoutReply(KEY, 'paid', 40_004));
    expect(await executed()).toEqual([{ key: KEY, amount: 40_004 }]);
  });

  it('is executed when it is due, without a further request', async () => {
    await post(40_004);
    provider.time.advance(3_000);
    await provider.restart();
    expect(await executed()).toHaveLength(1);
  });

  it('is pending for the rest of its time after a restart, then executed without a request', async () => {
    await post(40_004);
    provider.time.advance(1_000);
    await provider.restart();
    expect(await provider.get(KEY)).toEqual(payoutReply(KEY, 'pending', 40_004));
    provider.time.advance(2_000);
    await provider.restart();
    expect(await executed()).toHaveLength(1);
  });

  it('is paid at the first request after a restart, when its time is over', async () => {
    await post(40_004);
    await provider.restart();
    provider.time.advance(60_000);
    expect(await provider.get(KEY)).toEqual(payoutReply(KEY, 'paid', 40_004));
    expect(await executed()).toHaveLength(1);
  });
});

describe('40005', () => {
  it('is answered neither by POST nor by GET, also after a restart, and moves nothing', async () => {
    expect(await (await sendUnanswered(() => post(40_005))).end()).toBe('not answered');
    expect(await (await sendUnanswered(() => provider.get(KEY))).end()).toBe('not answered');
    await provider.restart();
    expect(await (await sendUnanswered(() => provider.get(KEY))).end()).toBe('not answered');
    expect(await executed()).toEqual([]);
  });
});

describe('40007', () => {
  it('is reset with nothing executed, then paid on retry, also over a restart', async () => {
    await expect(post(40_007)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(await provider.get(KEY)).toEqual(UNKNOWN);
    await provider.restart();
    expect(await post(40_007)).toEqual(payoutReply(KEY, 'paid', 40_007));
    expect(await executed()).toEqual([{ key: KEY, amount: 40_007 }]);
  });
});

describe('40008', () => {
  it('is executed with its amount, and reported with another amount', async () => {
    expect(await post(40_008)).toEqual(payoutReply(KEY, 'paid', 40_009));
    expect(await provider.get(KEY)).toEqual(payoutReply(KEY, 'paid', 40_009));
    expect(await executed()).toEqual([{ key: KEY, amount: 40_008 }]);
  });
});

describe('40009', () => {
  it('is pending for 30 s, then declined, also over a restart, and moves nothing', async () => {
    expect(await post(40_009)).toEqual(payoutReply(KEY, 'pending', 40_009));
    provider.time.advance(29_999);
    await provider.restart();
    expect(await provider.get(KEY)).toEqual(payoutReply(KEY, 'pending', 40_009));
    provider.time.advance(1);
    expect(await provider.get(KEY)).toEqual(payoutReply(KEY, 'declined', 40_009));
    expect(await executed()).toEqual([]);
  });
});

describe('40010', () => {
  it('is paid, and returned 3 s later, also over a restart; the journal keeps it', async () => {
    expect(await post(40_010)).toEqual(payoutReply(KEY, 'paid', 40_010));
    provider.time.advance(2_999);
    expect(await provider.get(KEY)).toEqual(payoutReply(KEY, 'paid', 40_010));
    await provider.restart();
    provider.time.advance(1);
    expect(await provider.get(KEY)).toEqual(payoutReply(KEY, 'returned', 40_010));
    expect(await post(40_010)).toEqual(payoutReply(KEY, 'returned', 40_010));
    expect(await executed()).toEqual([{ key: KEY, amount: 40_010 }]);
  });
});

describe('40013', () => {
  it('is refused twice with nothing executed, then paid, also over a restart', async () => {
    const message = 'Refused for too little balance, as this amount requests.';
    const refused = { status: 422, body: { error: 'insufficient_balance', message, key: KEY } };
    expect(await post(40_013)).toEqual(refused);
    expect(await provider.get(KEY)).toEqual(UNKNOWN);
    await provider.restart();
    expect(await post(40_013)).toEqual(refused);
    expect(await post(40_013)).toEqual(payoutReply(KEY, 'paid', 40_013));
    expect(await executed()).toEqual([{ key: KEY, amount: 40_013 }]);
  });
});

describe('the table', () => {
  it('has one row for each magic amount of architecture, section 6, and one for all others', () => {
    const amounts = SCENARIOS.map(({ amountUsdCents }) => amountUsdCents);
    const magic = Array.from({ length: 13 }, (_, index) => 40_001 + index);
    expect(amounts).toEqual([...magic, 'any other']);
  });
});
