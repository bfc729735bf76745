import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { CapsSchema } from '@supplier/proto/common/v1/principal';
import { newAccount } from '../harness/accounts.ts';
import { describeInBrowser } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';
import { dialog, inDialog, openSection, openTab, part } from '../harness/console-acts.ts';
import { openAction } from '../harness/console-parts.ts';
import { staff } from '../harness/rpc.ts';

const DAY_MS = 86_400_000;
const WARNING = 'Scheduled terms will loosen these terms';

describeInBrowser('terms in the console', () => {
  it('warn on the screen and after a change that scheduled terms will be less strict', async () => {
    const { accountId } = await newAccount();
    const effectiveFrom = timestampFromDate(new Date(Date.now() + 7 * DAY_MS));
    const { state, permittedScopes, terms, revision } = await staff.account().getAccount({ accountId });
    if (!terms) throw new Error('an account has terms');
    terms.caps = create(CapsSchema, { acceptedPerDay: 10 });
    await staff.account().updateAccount({ accountId, state, permittedScopes, terms, revision });
    const scheduled = { accountId, effectiveFrom, caps: { acceptedPerDay: 20 }, purpose: 'agreed' };
    await staff.account().scheduleTerms(scheduled);

    const { page, complaints } = await openConsole({
      name: 'ada',
      role: 'staff:admin',
      path: `/suppliers/${accountId}`,
    });
    await openTab(page, 'Terms');
    const warning = part(page, 'Scheduled terms').getByRole('note');
    expect(await warning.textContent()).toContain(WARNING);
    expect(await warning.textContent()).toContain('Accepted per day');
    await openAction(page, 'Change terms');
    await openSection(page, 'Caps');
    await dialog(page).getByLabel('Accepted per day').fill('9');
    await inDialog(page, 'Change terms').click();
    await dialog(page).getByText(WARNING).waitFor();
    await inDialog(page, 'Done').click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });
});
