import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { Status } from '@supplier/proto/common/v1/status';
import { newSupplier } from '../harness/accounts.ts';
import { describeInBrowser } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';
import { enquiry } from '../harness/enquiries.ts';
import { everythingReady, whileDown } from '../harness/processes.ts';
import { staff } from '../harness/rpc.ts';
import { created } from '../harness/suppliers.ts';

const reason = 'trading record seen';

beforeEach(everythingReady);

describeInBrowser('the console, while the submission service is away', () => {
  it('shows that it is no longer live, and recovers automatically with the missed changes', async () => {
    const { submission_id } = await created(
      await newSupplier({ decisionMode: DecisionMode.STAFF }),
      enquiry(),
    );
    const path = `/submissions/${submission_id}`;
    const { page } = await openConsole({ name: 'noa', role: 'staff:viewer', path });
    // The service takes a while to restart.
    page.setDefaultTimeout(60_000);
    await page.getByText('Received, awaiting decision by staff').waitFor();
    const lost = page.getByRole('status').getByText('Live updates lost. Reconnecting…');
    await whileDown('submission', async (submission) => {
      await lost.waitFor();
      await submission.bringBack();
    });
    await everythingReady();
    await lost.waitFor({ state: 'detached' });
    await staff.submission().decideSubmission({
      submissionId: submission_id,
      decision: Status.ACCEPTED,
      reason,
    });
    await page.getByText(`accepted by staff: ${reason}`).waitFor();
  });
});
