import { Badge, SimpleGrid, Stack, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { type Account, AccountSchema, AccountService } from '@supplier/proto/account/v1/account';
import {
  type ScheduledTerms,
  ScheduledTermsState,
  ScheduledTermsStateSchema,
} from '@supplier/proto/account/v1/scheduled_terms';
import { useQuery } from '@tanstack/react-query';
import { RowActions } from '../../actions/page-actions.tsx';
import { useFrozen } from '../../actions/use-frozen.ts';
import { queryOf, useMay } from '../../calls.ts';
import { Facts } from '../../components/facts.tsx';
import { Panel, PanelBody, PanelFrame } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { ExactTime } from '../../components/time.tsx';
import { enumLabel } from '../../format.ts';
import { CancelTermsAction } from './account-actions.tsx';
import {
  ACCOUNT_SETTINGS,
  differencesOf,
  formatSetting,
  jsonOf,
  SCHEDULED_SETTINGS,
  textOf,
} from './settings.ts';
import { Differences, warningOf } from './settings-fields.tsx';
import { isScheduled, type Version, versionsOf } from './terms-versions.ts';

/** At most twenty are scheduled. The rest is history. */
const LATEST = 50;

/** The terms of a supplier: current, scheduled and earlier. */
export function SupplierTerms({ account }: { readonly account: Account }) {
  const may = useMay();
  const json = jsonOf(AccountSchema, account);
  return (
    <Stack gap="md">
      <PanelFrame title="Current terms">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          {[...Map.groupBy(ACCOUNT_SETTINGS, ({ group }) => group)].map(([group, settings]) => (
            <section key={group}>
              <Text component="h3" fw={650} mb={6}>
                {group}
              </Text>
              <Facts
                facts={settings.map((one) => [one.label, formatSetting(one, textOf(one, json))] as const)}
              />
            </section>
          ))}
        </SimpleGrid>
      </PanelFrame>
      {may(AccountService.method.listScheduledTerms) ? <ScheduledTermsPanels account={account} /> : null}
    </Stack>
  );
}

/** Scheduled and earlier thresholds and caps, each as the difference from the version before. */
function ScheduledTermsPanels({ account }: { readonly account: Account }) {
  const { accountId } = account;
  const query = useQuery({
    ...queryOf(AccountService.method.listScheduledTerms, { accountId, pageSize: LATEST }),
    select: ({ scheduledTerms, nextPageToken }) => ({
      versions: versionsOf(account, scheduledTerms),
      nextPageToken,
    }),
  });
  return (
    <>
      <Panel title="Scheduled terms" query={query} isFlush>
        {({ versions }) => (
          <>
            {warningOf(account)}
            <VersionsTable
              label="Scheduled terms"
              empty="No scheduled terms. Schedule terms to change thresholds and caps at a later time."
              versions={versions.filter(({ terms }) => isScheduled(terms))}
            />
          </>
        )}
      </Panel>
      <Panel title="Earlier versions" query={query} isFlush>
        {({ versions, nextPageToken }) => (
          <>
            <VersionsTable
              label="Earlier versions"
              empty="No scheduled terms have taken effect yet. Immediate changes are in the audit log."
              versions={versions.filter(({ terms }) => !isScheduled(terms)).toReversed()}
            />
            {nextPageToken === '' ? null : <PanelBody>{`Only the latest ${LATEST} are shown.`}</PanelBody>}
          </>
        )}
      </Panel>
    </>
  );
}

interface VersionsTableProps {
  readonly label: string;
  readonly empty: string;
  readonly versions: readonly Version[];
}

const VersionsTable = ({ versions, ...table }: VersionsTableProps) => (
  <SimpleTable
    {...table}
    heads={['From', 'Change', 'Status']}
    rows={versions.map((version) => [
      <ExactTime key="from" at={version.terms.effectiveFrom} />,
      <VersionChange key="change" version={version} />,
      <VersionState key="state" terms={version.terms} />,
    ])}
  />
);

const VersionChange = ({ version: { terms, before, after } }: { readonly version: Version }) => (
  <div style={{ minWidth: 240, whiteSpace: 'normal' }}>
    {before ? (
      <Differences differences={differencesOf(SCHEDULED_SETTINGS, before, after)} />
    ) : (
      <Text size="sm">First version</Text>
    )}
    <Text size="xs" c="dimmed">
      {visible(terms.purpose)}
    </Text>
  </div>
);

const COLORS: Partial<Record<ScheduledTermsState, string>> = {
  [ScheduledTermsState.WAITING]: 'blue',
  [ScheduledTermsState.EFFECTIVE]: 'green',
};

function VersionState({ terms: present }: { readonly terms: ScheduledTerms }) {
  const may = useMay();
  const [terms, onOpen] = useFrozen(present);
  return (
    <RowActions>
      <Badge color={COLORS[present.state] ?? 'gray'}>
        {isScheduled(present) ? 'Scheduled' : enumLabel(ScheduledTermsStateSchema, present.state)}
      </Badge>
      {isScheduled(terms) && may(AccountService.method.cancelScheduledTerms) ? (
        <CancelTermsAction terms={terms} onOpen={onOpen} />
      ) : null}
    </RowActions>
  );
}
