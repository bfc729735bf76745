import { Badge, Skeleton, Tabs } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { type Account, AccountService } from '@supplier/proto/account/v1/account';
import { Environment } from '@supplier/proto/common/v1/status';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { PageActions } from '../../actions/page-actions.tsx';
import { useMay } from '../../calls.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { LoadState } from '../../components/panel.tsx';
import { AccountBadge } from '../../components/status-badge.tsx';
import { accountQuery } from '../../components/supplier-name.tsx';
import { TabList } from '../../components/tab-list.tsx';
import { withNoun } from '../../format.ts';
import { LIVE_MS } from '../../queries.ts';
import { supplierSearch } from '../../searches.ts';
import { SupplierEndpoints } from '../webhooks/endpoint.tsx';
import { SupplierEvents } from '../webhooks/events.tsx';
import { AccountStateAction, ChangeTermsAction, ScheduleTermsAction } from './account-actions.tsx';
import { IssueCredentialAction, SupplierCredentials, useCredentials } from './credentials.tsx';
import { SupplierSetup } from './setup.tsx';
import { SupplierOverview } from './supplier-overview.tsx';
import { SupplierTerms } from './terms.tsx';

const route = getRouteApi('/suppliers/$accountId');

/** A supplier: its figures, terms, credentials, webhooks and events, with the available actions. */
export function SupplierScreen() {
  const { accountId } = route.useParams();
  const query = useQuery({ ...accountQuery(accountId), refetchInterval: LIVE_MS });
  const account = query.data;
  return (
    <>
      <PageHeader
        title={visible(account?.name ?? 'Supplier')}
        parent={{ name: 'Suppliers', to: '/suppliers' }}
        actions={account ? <SupplierActions account={account} /> : null}
      >
        {account ? (
          <>
            <AccountBadge state={account.state} />
            <CredentialCounts accountId={accountId} />
          </>
        ) : null}
      </PageHeader>
      <LoadState query={query} notFound="There is no such supplier." />
      {account ? <SupplierTabs key={accountId} account={account} /> : null}
    </>
  );
}

interface AccountProps {
  readonly account: Account;
}

/** The tabs, each for people who may make the call that fills it. */
const TABS = {
  overview: { label: 'Overview', call: AccountService.method.getAccount, Content: SupplierOverview },
  terms: { label: 'Terms', call: AccountService.method.getAccount, Content: SupplierTerms },
  credentials: {
    label: 'Credentials',
    call: AccountService.method.listCredentials,
    Content: SupplierCredentials,
  },
  webhooks: { label: 'Webhooks', call: WebhookService.method.listEndpoints, Content: SupplierEndpoints },
  events: { label: 'Events', call: WebhookService.method.listEndpointEvents, Content: SupplierEvents },
  setup: { label: 'Setup', call: AccountService.method.issueCredential, Content: SupplierSetup },
} as const;

function SupplierTabs({ account }: AccountProps) {
  const may = useMay();
  const { tab = 'overview' } = route.useSearch();
  const navigate = route.useNavigate();
  const names = (Object.keys(TABS) as (keyof typeof TABS)[]).filter((name) => may(TABS[name].call));
  const open = names.includes(tab) ? tab : 'overview';
  const { Content } = TABS[open];
  return (
    <Tabs value={open} onChange={(next) => void navigate({ search: supplierSearch({ tab: next }) })}>
      <TabList tabs={Object.fromEntries(names.map((name) => [name, TABS[name].label]))} />
      <Tabs.Panel value={open}>
        <Content account={account} />
      </Tabs.Panel>
    </Tabs>
  );
}

/** The actions this person may take on the supplier. */
function SupplierActions({ account }: AccountProps) {
  const may = useMay();
  const { updateAccount, issueCredential, scheduleTerms } = AccountService.method;
  return (
    <PageActions>
      {may(updateAccount) ? <ChangeTermsAction key="change" account={account} /> : null}
      {may(issueCredential) ? <IssueCredentialAction key="issue" account={account} /> : null}
      {may(scheduleTerms) ? <ScheduleTermsAction key="schedule" account={account} /> : null}
      {may(updateAccount) ? <AccountStateAction key="state" account={account} /> : null}
    </PageActions>
  );
}

/** About as wide as both counts, which come later. */
const COUNTS_PX = 290;

/** The environments that the supplier has access to, by its active credentials. */
function CredentialCounts({ accountId }: { readonly accountId: string }) {
  const { query, active } = useCredentials(accountId);
  if (query.isLoading) return <Skeleton height={20} width={COUNTS_PX} />;
  if (!query.data) return null;
  const countIn = (environment: Environment) =>
    active.filter((credential) => credential.environment === environment).length;
  return (
    <>
      <Badge color="blue">{`Sandbox: ${withNoun(countIn(Environment.SANDBOX), 'credential')}`}</Badge>
      <Badge color="amber">{`Production: ${withNoun(countIn(Environment.PRODUCTION), 'credential')}`}</Badge>
    </>
  );
}
