import { AccountService } from '@supplier/proto/account/v1/account';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { Environment } from '@supplier/proto/common/v1/status';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { AccountStateAction, ChangeAccountAction } from '../actions/change-account.tsx';
import { accounts, mayCall } from '../calls.ts';
import { PageHeader } from '../components/page-header.tsx';
import { Panel } from '../components/panel.tsx';
import { AccountBadge } from '../components/status-badge.tsx';
import { SubmissionsLink } from '../components/submissions-link.tsx';
import { CredentialsPanel } from '../parts/credentials.tsx';
import { EndpointPanel } from '../parts/endpoint.tsx';
import { ScheduledTermsPanel } from '../parts/scheduled-terms.tsx';
import { TermsFacts } from '../parts/terms.tsx';
import { useSession } from '../session.ts';

const route = getRouteApi('/suppliers/$accountId');

/** Shows a supplier: its permissions and terms, credentials and webhook endpoints, with the available actions. */
export function SupplierScreen() {
  const { accountId } = route.useParams();
  const { roles } = useSession();
  const query = useQuery({
    queryKey: ['account', accountId],
    queryFn: ({ signal }) => accounts.getAccount({ accountId }, { signal }),
  });
  const { listScheduledTerms, listCredentials, updateAccount } = AccountService.method;
  const seesEndpoints = mayCall(roles, WebhookService.method.listEndpoints);
  return (
    <>
      <PageHeader title={query.data?.name ?? 'Supplier'} parent={{ name: 'Suppliers', to: '/suppliers' }} />
      <Panel title="State" query={query} empty="This supplier does not exist.">
        {(account) => (
          <>
            <dl className="facts">
              <dt>account</dt>
              <dd>{account.accountId}</dd>
              <dt>state</dt>
              <dd>
                <AccountBadge state={account.state} />
              </dd>
              <dt>revision</dt>
              <dd>{String(account.revision)}</dd>
            </dl>
            <p className="links">
              <SubmissionsLink search={{ account: accountId }}>Its submissions</SubmissionsLink>
              <StatementLinks accountId={accountId} />
            </p>
            {mayCall(roles, updateAccount) ? (
              <fieldset className="actions">
                <legend>Actions</legend>
                <AccountStateAction account={account} />
                <ChangeAccountAction account={account} />
              </fieldset>
            ) : null}
          </>
        )}
      </Panel>
      <Panel title="Terms" query={query}>
        {(account) => <TermsFacts account={account} />}
      </Panel>
      {query.data && mayCall(roles, listScheduledTerms) ? <ScheduledTermsPanel account={query.data} /> : null}
      {query.data && mayCall(roles, listCredentials) ? <CredentialsPanel account={query.data} /> : null}
      {query.data && seesEndpoints ? (
        <>
          <EndpointPanel account={query.data} environment={Environment.SANDBOX} />
          <EndpointPanel account={query.data} environment={Environment.PRODUCTION} />
        </>
      ) : null}
    </>
  );
}

/** Links to the statements of the present and the previous month. */
function StatementLinks({ accountId }: { readonly accountId: string }) {
  const { roles } = useSession();
  if (!mayCall(roles, BillingService.method.getStatement)) return null;
  const now = new Date();
  const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1));
  return [now, last].map((day) => {
    const month = day.toISOString().slice(0, 7);
    return (
      <Link key={month} to="/suppliers/$accountId/statements/$month" params={{ accountId, month }}>
        Statement of {month}
      </Link>
    );
  });
}
