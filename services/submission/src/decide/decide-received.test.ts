import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { ScreeningResult } from '@supplier/proto/common/v1/enquiry';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import { newCompanyNumber } from '../../testing/sample-enquiry.ts';
import { openTestService, type SubmitOptions } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());
beforeEach(() => service.at('2026-11-20T10:00:00Z'));
const decide = (id: SubmissionId) => service.decide(id);
const statuses = (ids: SubmissionId[]) => Promise.all(ids.map(service.statusOf));
const { RECEIVED: received, ACCEPTED: accepted, DUPLICATE_NOT_ACCEPTED: duplicate } = Status;

describe.each([
  ['by the worker, after recording', 'submitUndecided'],
  ['in the recording commit', 'submit'],
] as const)('%s:', (_, way) => {
  const submitAndDecide = async (options: SubmitOptions = {}) => {
    const { id } = await service[way](options);
    await decide(id);
    return id;
  };

  describe('a decision by policy', () => {
    it('accepts with one pre-underwritten Application, in one transaction and one event', async () => {
      const id = await submitAndDecide();
      const row = await service.context.db.submission.findUniqueOrThrow({
        where: { id },
        include: { application: true },
      });
      expect(row).toMatchObject({ status: Status.ACCEPTED, decisionRule: 'accepted', version: 1n });
      expect(row.applicationReference).toMatch(/^APP-/);
      expect(row.application?.reference).toBe(row.applicationReference);
      expect(await service.eventsOf(id)).toEqual(['SubmissionStatusChanged']);
    });

    it('leaves later work all its tries', async () => {
      const { id } = await service[way]();
      await service.context.pool.query(
        'UPDATE submission SET work_attempts = 4 WHERE id = $1 AND status = 1',
        [id],
      );
      await decide(id);
      const row = await service.context.db.submission.findUniqueOrThrow({ where: { id } });
      expect(row).toMatchObject({ status: Status.ACCEPTED, workAttempts: 0 });
    });

    it('is made once, even when delivered several times', async () => {
      const { id } = await service[way]();
      await Promise.all(Array.from({ length: 8 }, () => decide(id)));
      expect(await service.eventsOf(id)).toHaveLength(1);
      expect(await service.context.db.application.count({ where: { submissionId: id } })).toBe(1);
    });

    it('rejects without an Application', async () => {
      const creditScreening = { provider: 'p', companyStatus: ScreeningResult.FAIL };
      const id = await submitAndDecide({ enquiry: { creditScreening } });
      expect(await service.statusOf(id)).toBe(Status.REJECTED);
      expect(await service.eventsOf(id)).toEqual(['SubmissionStatusChanged']);
    });

    it('is left to staff when the terms require it', async () => {
      const id = await submitAndDecide({ terms: { decisionMode: DecisionMode.STAFF } });
      expect(await service.statusOf(id)).toBe(Status.RECEIVED);
    });
  });

  describe('duplicates', () => {
    it('are resolved by accepting exactly the earliest received of many concurrent decisions', async () => {
      const enquiry = { companyNumber: newCompanyNumber() };
      const ids: SubmissionId[] = [];
      for (let i = 0; i < 12; i += 1) {
        service.at(`2026-11-20T10:00:${String(i).padStart(2, '0')}Z`);
        ids.push((await service[way]({ enquiry })).id);
      }
      await Promise.all([...ids].reverse().map(decide));
      expect(await statuses(ids)).toEqual([accepted, ...Array<number>(11).fill(duplicate)]);
    });

    it('are resolved by deciding the earlier submission first, across different keys', async () => {
      const companyNumber = newCompanyNumber();
      const email = `chain.${companyNumber}@example.test`;
      service.at('2026-11-20T11:00:00Z');
      const first = await service[way]({ enquiry: { companyNumber } });
      service.at('2026-11-20T11:00:01Z');
      const second = await service[way]({ enquiry: { companyNumber, email } });
      service.at('2026-11-20T11:00:02Z');
      const third = await service[way]({ enquiry: { email } });
      await decide(third.id);
      expect(await statuses([first.id, second.id, third.id])).toEqual([accepted, duplicate, accepted]);
    });

    it('do not wait for a submission awaiting staff', async () => {
      const enquiry = { companyNumber: newCompanyNumber() };
      const waiting = await submitAndDecide({ enquiry, terms: { decisionMode: DecisionMode.STAFF } });
      const id = await submitAndDecide({ enquiry });
      expect(await statuses([waiting, id])).toEqual([Status.RECEIVED, accepted]);
    });
  });

  describe('caps', () => {
    it('are exact for concurrent submissions', async () => {
      const accountId = newId<AccountId>();
      const terms = { caps: { acceptedPerDay: 5, acceptedPerMonth: 7 } };
      const batch = async () => {
        const made = await Promise.all(Array.from({ length: 12 }, () => service[way]({ accountId, terms })));
        await Promise.all(made.map(({ id }) => decide(id)));
        return (await statuses(made.map(({ id }) => id))).filter((status) => status === accepted).length;
      };
      service.at('2026-11-20T23:59:59Z');
      expect(await batch()).toBe(5);
      service.at('2026-11-21T00:00:00Z');
      expect(await batch()).toBe(2);
      service.at('2026-12-01T00:00:00Z');
      expect(await batch()).toBe(5);
    });

    it('count no day before that of receipt, even if the clock of the process is behind', async () => {
      const options = { accountId: newId<AccountId>(), terms: { caps: { acceptedPerDay: 1 } } };
      service.at('2026-12-03T00:00:10Z');
      const first = await submitAndDecide(options);
      service.at('2026-12-02T23:50:10Z', '2026-12-03T00:00:11Z');
      const second = await submitAndDecide(options);
      expect(await statuses([first, second])).toEqual([Status.ACCEPTED, Status.REJECTED]);
    });
  });
});

describe('duplicates', () => {
  const submit = async (options: SubmitOptions) => (await service.submit(options)).id;
  const both = async (first: SubmitOptions, second: SubmitOptions) =>
    statuses([await submit(first), await submit(second)]);

  it('are found by company number, telephone or email, across suppliers in production', async () => {
    const companyNumber = newCompanyNumber();
    expect(
      await both(
        { enquiry: { companyNumber } },
        { enquiry: { companyNumber: ` ${companyNumber.toLowerCase()} ` } },
      ),
    ).toEqual([accepted, duplicate]);
    expect(
      await both({ enquiry: { telephone: '07911 123456' } }, { enquiry: { telephone: '+447911123456' } }),
    ).toEqual([accepted, duplicate]);
    expect(
      await both({ enquiry: { email: 'Twin@Example.test' } }, { enquiry: { email: 'twin@example.TEST ' } }),
    ).toEqual([accepted, duplicate]);
  });

  it.each([
    ['89 days', 'one', '2027-02-17T10:00:00.000Z', duplicate],
    ['90 days to the millisecond', 'one', '2027-02-18T10:00:00.000Z', duplicate],
    ['91 days', 'none', '2027-02-19T10:00:00.000Z', accepted],
  ] as const)('are limited to the last 90 days: after %s it is %s', async (_, __, later, expected) => {
    const enquiry = { companyNumber: newCompanyNumber() };
    service.at('2026-11-20T10:00:00.000Z');
    const first = await submit({ enquiry });
    service.at(later);
    const second = await submit({ enquiry });
    expect(await statuses([first, second])).toEqual([accepted, expected]);
  });

  it('are not found by a shared telephone when the companies differ', async () => {
    const telephone = '07911 222333';
    expect(
      await both(
        { enquiry: { telephone, companyNumber: newCompanyNumber() } },
        { enquiry: { telephone, companyNumber: newCompanyNumber() } },
      ),
    ).toEqual([accepted, accepted]);
  });

  it('are not found by placeholders in any spelling; a submission with nothing else awaits staff', async () => {
    const placeholders = { companyNumber: 'N/A', telephone: '0', email: 'n/a' };
    expect(await both({ enquiry: placeholders }, { enquiry: placeholders })).toEqual([received, received]);
    const other = { companyNumber: 'n/a', telephone: 'unknown', email: 'none' };
    expect(await both({ enquiry: placeholders }, { enquiry: other })).toEqual([received, received]);
  });

  it('are not found by excluded values', async () => {
    const broker = await openTestService({
      beside: service,
      ignoredMatchValues: [{ kind: 'telephone', text: '020 7946 0999' }],
    });
    const enquiry = { telephone: '+44 20 7946 0999' };
    const ids = [(await broker.submit({ enquiry })).id, (await broker.submit({ enquiry })).id];
    for (const id of ids) await broker.decide(id);
    expect(await statuses(ids)).toEqual([accepted, accepted]);
    await broker.close();
  });

  it('are not found by values from an earlier release that are no longer match keys', async () => {
    const enquiry = { telephone: '0', companyNumber: 'N/A', email: 'n/a' };
    const ids = [
      (await service.submitUndecided({ enquiry })).id,
      (await service.submitUndecided({ enquiry })).id,
    ];
    const { pool, keyRing } = service.context;
    await pool.query(`UPDATE submission SET match_rule = '1', telephone_hash = $2 WHERE id = ANY($1)`, [
      ids,
      keyRing.digest('match/telephone', '0'),
    ]);
    for (const id of ids) await service.decide(id);
    expect(await statuses(ids)).toEqual([received, received]);
    const where = { id: { in: ids } };
    expect(await service.context.db.submission.findMany({ where })).toMatchObject([
      { awaitsStaff: true, unidentified: true },
      { awaitsStaff: true, unidentified: true },
    ]);
  });

  it('are found only within one account in the sandbox', async () => {
    const enquiry = { companyNumber: newCompanyNumber() };
    const environment = Environment.SANDBOX as const;
    const accountId = newId<AccountId>();
    expect(await both({ enquiry, environment, accountId }, { enquiry, environment })).toEqual([
      accepted,
      accepted,
    ]);
    expect(await service.statusOf(await submit({ enquiry, environment, accountId }))).toBe(duplicate);
    expect(await service.statusOf(await submit({ enquiry }))).toBe(accepted);
  });

  it('are not found by a rejected submission', async () => {
    const companyNumber = newCompanyNumber();
    const creditScreening = { provider: 'p', companyStatus: ScreeningResult.FAIL };
    expect(
      await both({ enquiry: { companyNumber, creditScreening } }, { enquiry: { companyNumber } }),
    ).toEqual([Status.REJECTED, accepted]);
  });
});

it('the applicant is stored sealed', async () => {
  const { id } = await service.submit({ enquiry: { firstName: 'Zebedee' } });
  const { rows } = await service.context.pool.query(
    'SELECT s::text AS text FROM submission s WHERE id = $1',
    [id],
  );
  expect(rows[0].text).not.toContain(Buffer.from('Zebedee').toString('hex'));
  expect(rows[0].text).not.toContain('Zebedee');
});
