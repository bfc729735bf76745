import { refusalOf } from '../../harness/answers.ts';
import { finalization, fullEnquiry } from '../../harness/enquiries.ts';
import { FINALIZE_PATH } from '../../harness/http.ts';
import { created, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');
const ask = (body: object) => alpha.call({ method: 'POST', path: FINALIZE_PATH, body });

describe('503 to a finalize', () => {
  it('comes for a valid one while files cannot be kept', async () => {
    const { external_reference } = await created(alpha, fullEnquiry());
    expect(refusalOf(await ask(finalization({ external_reference })), 503).code).toBe('service_unavailable');
    refusalOf(await ask(finalization()), 503);
  });
});
