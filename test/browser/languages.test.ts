// The language of the page: the payer's own if it is one of three, or the one that the payer
// chooses.
import { withVisits } from './checkout-world';
import { FULL_CODE } from './scanned-codes';
import { chooseLanguage } from './screens';

const visits = withVisits();
const open = (locale: string) => visits.open(visits.world.link(visits.intent), { locale });

it.each([
  ['en-GB', 'en', 'Scan the QR code', 'USD 12.50'],
  ['th-TH', 'th', 'สแกน QR โค้ด', 'USD 12.50'],
  ['vi-VN', 'vi', 'Quét mã QR', '12,50 USD'],
  ['de-DE', 'en', 'Scan the QR code', 'USD 12.50'],
])('a browser in %s gets the page in %s', async (locale, language, heading, amount) => {
  const visit = await open(locale);
  await visit.page.getByRole('heading', { name: heading }).waitFor();
  expect(await visit.page.locator('html').getAttribute('lang')).toBe(language);
  expect(await visit.page.getByText(amount).isVisible()).toBe(true);
});

it('another language can be chosen, which stays after a reload and keeps the focus', async () => {
  const visit = await open('en-GB');
  await visit.page.getByRole('heading', { name: 'Scan the QR code' }).waitFor();
  await visit.page.getByRole('combobox', { name: 'Language' }).focus();
  await chooseLanguage(visit, 'th');
  await visit.page.getByRole('heading', { name: 'สแกน QR โค้ด' }).waitFor();
  expect(await visit.page.getByRole('combobox', { name: 'ภาษา' }).inputValue()).toBe('th');
  expect(await visit.page.evaluate('document.activeElement.value')).toBe('th');
  await visit.page.reload();
  await visit.page.getByRole('heading', { name: 'สแกน QR โค้ด' }).waitFor();
});

it('a change of language keeps the scanned code and shows it', async () => {
  const visit = await open('vi-VN');
  await visit.page.getByText('Dán nội dung mã').click();
  await visit.page.getByLabel('Nội dung mã QR').fill(FULL_CODE);
  await visit.page.getByRole('button', { name: 'Dùng nội dung này' }).click();
  await visit.page.getByRole('heading', { name: 'Kiểm tra thanh toán' }).waitFor();
  await chooseLanguage(visit, 'th');
  await visit.page.getByRole('heading', { name: 'ตรวจสอบการชำระเงิน' }).waitFor();
  expect(await visit.page.getByText('BAAN SOMTUM, BANGKOK').isVisible()).toBe(true);
});

it('without JavaScript the page says in all three languages that it needs it', async () => {
  const link = visits.world.link(visits.intent);
  const visit = await visits.open(link, { javaScriptEnabled: false });
  // Reads the text as a screen reader does: without JavaScript no script can read the page.
  const session = await visit.page.context().newCDPSession(visit.page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const spoken = nodes.filter(({ ignored }) => !ignored).map(({ name }) => String(name?.value));
  expect(spoken.join('\n')).toMatch(
    /This page needs JavaScript[^]*JavaScript สำหรับหน้านี้[^]*Trang này cần/,
  );
  expect(spoken.join('\n')).not.toContain('Opening your payment');
  // Another device may have confirmed.
  expect(spoken.join('\n')).not.toMatch(/not confirmed/);
});
