// The three languages of the checkout, chosen by the browser's settings. Their types make them
// complete.
import { chooseLanguage, LANGUAGES, textsIn } from '../../api/checkout/browser/texts/choose';
import { describePayee } from '../../api/checkout/browser/texts/payee';
import { formatCodeAmount, formatUsdCents } from '../../api/checkout/browser/money';
import { parseQrPayload } from '../../src/domain/qr/payload';
import { isQrRejection } from '../../src/domain/qr/rejection';
import { aThaiCode, aVietnameseCode, objects } from '../support/payments/qr-codes';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

describe('the language', () => {
  it.each([
    [['th-TH', 'en'], 'th'],
    [['VI'], 'vi'],
    [['fr-FR', 'vi-VN', 'en'], 'vi'],
    [['thx', 'english'], 'en'],
    [['en-US', 'th'], 'en'],
    [[], 'en'],
  ])('of %j is %s', (preferred, language) => {
    expect(chooseLanguage(preferred)).toBe(language);
  });

  it('is named in each language’s texts', () => {
    for (const { language } of LANGUAGES) expect(textsIn(language).language).toBe(language);
  });
});

/** Every text of a language by its path, without functions. */
function flatten(value: unknown, path = ''): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => flatten(inner, `${path}.${name}`));
}

describe('the texts', () => {
  const [english, thai, vietnamese] = LANGUAGES.map(
    ({ language }) => new Map(flatten(textsIn(language))),
  );

  it('of each language differ from the English ones', () => {
    const same = [...(english ?? [])].filter(
      ([path, text]) =>
        path !== '.language' && [thai?.get(path), vietnamese?.get(path)].includes(text),
    );
    expect(same).toEqual([]);
  });

  it('in Thai are Thai, and in Vietnamese are not', () => {
    const isThai = (text: string) => /\p{Script=Thai}/u.test(text);
    expect(
      [...(thai ?? [])].filter(([path, text]) => path !== '.language' && !isThai(text)),
    ).toEqual([]);
    expect([...(vietnamese ?? [])].filter(([, text]) => isThai(text))).toEqual([]);
  });

  it('say in one place only that nothing was charged', () => {
    for (const texts of [english, thai, vietnamese]) {
      const sentence = texts?.get('.notCharged') ?? '';
      const saying = [...(texts ?? [])].filter(([, text]) => text.includes(sentence));
      expect(saying.map(([path]) => path)).toEqual(['.notCharged']);
    }
  });

  it('never say that a payment has failed while its outcome is unknown', () => {
    const { working, result } = textsIn('en');
    const open = [working, result.pending, result.unknown, result.otherCode];
    expect(JSON.stringify(open)).not.toMatch(/fail|not paid/i);
  });
});

describe('amounts', () => {
  it.each([
    [1, 'en', 'USD 0.01'],
    [1_250, 'en', 'USD 12.50'],
    [100_000_000, 'en', 'USD 1,000,000.00'],
    [1_250, 'th', 'USD 12.50'],
    [1_250, 'vi', '12,50 USD'],
  ])('of %d cents in %s are %s', (cents, language, text) => {
    expect(plain(formatUsdCents(cents, language))).toBe(text);
  });

  it('in a code have the digits of their currency', () => {
    const baht = { code: 'THB', number: '764', exponent: 2 } as const;
    const dong = { code: 'VND', number: '704', exponent: 0 } as const;
    expect(plain(formatCodeAmount(42_250, baht, 'en'))).toBe('THB 422.50');
    expect(plain(formatCodeAmount(180_000, dong, 'vi'))).toBe('180.000 VND');
  });
});

describe('the payee', () => {
  const describeInEach = (code: string, corridor: 'th_qrpay' | 'vn_qrpay') => {
    const read = parseQrPayload(code, corridor);
    if (isQrRejection(read)) throw new Error(read.sentence);
    return LANGUAGES.map(({ language }) => describePayee(read.payee, textsIn(language)));
  };

  it('is shown by the last digits of its number only', () => {
    for (const text of describeInEach(aThaiCode(), 'th_qrpay')) {
      expect(text).toContain('4567');
      expect(text).not.toContain('801234567');
    }
    for (const text of describeInEach(aVietnameseCode(), 'vn_qrpay'))
      expect(text).toContain('5678');
  });

  it('with a card number is shown without any digits', () => {
    const account = objects(['00', '970403'], ['01', '4111111111111111']);
    const card = objects(['00', 'A000000727'], ['01', account], ['02', 'QRIBFTTC']);
    for (const text of describeInEach(aVietnameseCode({ '38': card }), 'vn_qrpay')) {
      expect(text).not.toMatch(/\d/);
    }
  });
});
