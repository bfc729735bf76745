import { randomBytes } from 'node:crypto';
import { formsOf } from '../harness/encoded-forms.ts';
import { correction, fullDelivery, fullEnquiry } from '../harness/enquiries.ts';
import { everythingReady, kill, restarted } from '../harness/processes.ts';
import { databases, filesWith, metricsWith, tablesWith } from '../harness/stored-values.ts';
import { supplier } from '../harness/suppliers.ts';

/** Longer than any process waits before it takes over the work of a killed one. */
const RECOVERY_MS = 180_000;
const PROCESSES = ['submission', 'production', 'webhook', 'document'];
/** This mark appears in no other run and none of our texts. */
const mark = Array.from(randomBytes(20), (byte) => 'bcdfghjkmnpqrstvwxz'[byte % 19]).join('');
const person = { first_name: `Ada ${mark}`, last_name: `${mark} Lovelace`, email: `${mark}@example.com` };

beforeEach(everythingReady);

describe('a customer’s data', () => {
  const alpha = supplier('alpha', 'production');

  it(
    'is nowhere in clear text after processes were killed during requests that contain it',
    async () => {
      let sending = true;
      let answered = 0;
      const send = async (): Promise<void> => {
        while (sending) {
          // The outcome doesn't matter: refused, accepted, or interrupted.
          const taken = await alpha.create(fullEnquiry(person)).catch(() => undefined);
          await alpha.createBasic(fullDelivery(person)).catch(() => undefined);
          const { submission_id } = (taken?.json ?? {}) as { submission_id?: string };
          if (submission_id) await alpha.correct(submission_id, correction(person)).catch(() => undefined);
          if (taken) answered += 1;
        }
      };
      const senders = Promise.all([send(), send(), send()]);
      for (const name of PROCESSES) {
        const pid = await kill(name);
        await restarted(name, pid);
      }
      await everythingReady();
      sending = false;
      await senders;
      expect(answered).toBeGreaterThan(0);

      const forms = formsOf([mark]);
      for (const folder of ['logs', 'nats', 'documents', 'postgres'])
        expect([folder, ...filesWith(folder, forms)]).toEqual([folder]);
      const found = await Promise.all((await databases()).map((name) => tablesWith(name, forms)));
      expect(found.flat()).toEqual([]);
      expect(await metricsWith(forms)).toEqual([]);
    },
    RECOVERY_MS * 2,
  );
});
