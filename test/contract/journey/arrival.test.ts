import { enquiry } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { readStack } from '../../harness/stack.ts';
import { created, supplier } from '../../harness/suppliers.ts';
import { page } from './page.ts';

const api = supplier('journey');

describe('arrival_screen_url', () => {
  it('is in the 202 for an enrolled account, and links to the journey pages', async () => {
    const { arrival_screen_url = '' } = await created(api, enquiry());
    expect(arrival_screen_url.startsWith(`${readStack().pages}/journey/`)).toBe(true);
    expect(await page(arrival_screen_url)).toMatchObject({ status: 200 });
  });

  it('is repeated by a replay until it is used', async () => {
    const body = enquiry();
    const { arrival_screen_url = '' } = await created(api, body);
    const again = submissionOf(await api.create(body), 200);
    expect(again.arrival_screen_url).toBe(arrival_screen_url);
    expect((await page(arrival_screen_url, 'POST')).status).toBe(200);
    expect(submissionOf(await api.create(body), 200)).not.toHaveProperty('arrival_screen_url');
  });

  it('links to the production pages in production', async () => {
    const { arrival_screen_url = '' } = await created(supplier('journey', 'production'), enquiry());
    expect(arrival_screen_url).toContain('/journey/');
    expect(arrival_screen_url.startsWith(readStack().pages)).toBe(false);
    expect((await page(arrival_screen_url)).status).toBe(200);
  });
});
