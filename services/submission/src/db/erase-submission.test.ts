import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { basicLeads } from '../../testing/basic-leads.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service?.close());

describe('an erasure by the release before, which runs beside this one for a while', () => {
  it('takes along what that release does not know', async () => {
    const { pool } = service.context;
    const leads = basicLeads(service);
    const lead = await leads.submit({ terms: { applicationMinting: ApplicationMinting.ON_PROMOTION } });
    await leads.promote(lead);
    await pool.query(
      "UPDATE application SET pre_underwriting = 3, close_reason = 'Ada has died' WHERE submission_id = $1",
      [lead.id],
    );
    await pool.query("UPDATE submission SET request_id = 'ada@example.test' WHERE id = $1", [lead.id]);
    const left = async () => {
      const { rows } = await pool.query(
        `SELECT num_nonnulls(w.request_id, w.decision_reason, a.close_reason, p.stated)
           FROM submission w JOIN application a ON a.submission_id = w.id LEFT JOIN promoted_keys p ON p.submission_id = w.id
          WHERE w.id = $1`,
        [lead.id],
      );
      return rows;
    };
    expect(await left()).toEqual([{ num_nonnulls: 4 }]);
    await pool.query(
      `UPDATE submission
          SET enquiry = NULL, contact = NULL, body_digest = NULL, body_fingerprint = NULL, company_hash = NULL,
              telephone_hash = NULL, email_hash = NULL, erased_at = coalesce(erased_at, $2),
              work_attempts = 0, work_failure = NULL, work_parked_at = NULL
        WHERE id = $1`,
      [lead.id, new Date()],
    );
    expect(await left()).toEqual([{ num_nonnulls: 0 }]);
  });
});
