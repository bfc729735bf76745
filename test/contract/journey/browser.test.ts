import { describeInBrowser, openPhone } from '../../harness/browser.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { created, decided, supplier } from '../../harness/suppliers.ts';

const api = supplier('journey');
const THUMB = 44;

describeInBrowser('the journey pages on a phone without JavaScript', () => {
  it.each([
    ['arrival', async () => (await created(api, enquiry())).arrival_screen_url ?? ''],
    ['handoff', async () => (await decided(api, enquiry())).handoff?.customer_journey_url ?? ''],
  ])(
    'take an applicant through an %s link, once',
    async (_, newLink) => {
      const phone = await openPhone();
      const screen = await phone.newPage();
      const url = await newLink();
      expect((await screen.goto(url))?.status()).toBe(200);
      expect((await screen.reload())?.status()).toBe(200);

      const button = screen.getByRole('button', { name: 'Continue' });
      const box = await button.boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(THUMB);
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 999) <= 375).toBe(true);
      expect(await screen.locator('html').getAttribute('lang')).toBe('en');
      expect(await screen.getByRole('heading', { level: 1 }).count()).toBe(1);
      expect(await screen.getByRole('main').count()).toBe(1);

      await Promise.all([screen.waitForURL(url), button.tap()]);
      await screen.getByRole('heading', { name: 'Thank you' }).waitFor();

      expect((await screen.goto(url))?.status()).toBe(410);
      await screen.getByRole('heading', { name: 'This link has been used' }).waitFor();
      expect(await screen.getByRole('button').count()).toBe(0);
    },
    60_000,
  );
});
