import { ConnectError } from '@connectrpc/connect';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { openTestService } from '../../testing/test-service.ts';

const PURPOSE = 'erasure request 18';

const service = forAllTests(() => openTestService({ fourEyes: 'required' }));

const refused = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => refusalOf(ConnectError.from(error))?.code,
  );

const ask = (submissionIds: string[]) =>
  service.approvals('ada').requestApproval({
    action: 'RequestErasure',
    argumentsJson: JSON.stringify({ submissionIds, purpose: PURPOSE }),
    purpose: PURPOSE,
  });

describe('RequestErasure with required approval', () => {
  it('erases nothing without an approval, or with one requested by someone else', async () => {
    const { id } = await service.submit();
    const request = { submissionIds: [id], purpose: PURPOSE };
    expect(await refused(service.privacy.requestErasure(request))).toBe(RefusalCode.WRONG_STATE);
    const { approvalId } = await ask([id]);
    await service.approvals('bob').approveRequest({ approvalId });
    const call = service.privacy.requestErasure({ ...request, approvalId });
    expect(await refused(call)).toBe(RefusalCode.FORBIDDEN);
    await service.erase();
    const row = await service.context.db.submission.findUniqueOrThrow({ where: { id } });
    expect(row.enquiry).not.toBeNull();
  });

  it('shows the approver the ids and the purpose, and no applicant data', async () => {
    const { id } = await service.submit();
    const { argumentsJson, target } = await ask([id]);
    expect(target).toBe(id);
    expect(JSON.parse(argumentsJson)).toEqual({ submissionIds: [id], purpose: PURPOSE });
  });

  it('erases exactly the approved submissions, in any order, once', async () => {
    const [one, other, third] = [await service.submit(), await service.submit(), await service.submit()];
    const { approvalId, requestedBy } = await service.approvals('pat').requestApproval({
      action: 'RequestErasure',
      argumentsJson: JSON.stringify({ submissionIds: [one.id, other.id], purpose: PURPOSE }),
      purpose: PURPOSE,
    });
    expect(requestedBy).toBe('pat');
    await service.approvals('bob').approveRequest({ approvalId });
    const erase = (...submissionIds: string[]) =>
      service.privacy.requestErasure({ submissionIds, purpose: PURPOSE, approvalId });
    for (const ids of [[one.id], [one.id, third.id], [one.id, other.id, third.id]])
      expect(await refused(erase(...ids))).toBe(RefusalCode.WRONG_STATE);
    const { submissions } = await erase(other.id, one.id);
    expect(submissions).toHaveLength(2);
    await service.erase();
    expect(await refused(erase(one.id, other.id))).toBe(RefusalCode.WRONG_STATE);
  });

  it('cannot be requested for an unknown submission or one under legal hold', async () => {
    expect(await refused(ask([newId()]))).toBe(RefusalCode.NOT_FOUND);
    const { id } = await service.submit();
    await service.privacy.holdSubmissions({ submissionIds: [id], purpose: 'a claim in court' });
    expect(await refused(ask([id]))).toBe(RefusalCode.WRONG_STATE);
  });
});
