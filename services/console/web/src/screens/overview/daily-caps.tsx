import { Stack } from '@mantine/core';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { IntakeOfAccount } from '@supplier/proto/submission/v1/intake';
import { useQueries } from '@tanstack/react-query';
import { CapBar } from '../../components/cap-bar.tsx';
import { LoadError } from '../../components/load-error.tsx';
import { LoadingLines, Panel } from '../../components/panel.tsx';
import { accountQuery, SupplierName } from '../../components/supplier-name.tsx';
import { useLatestIntake } from './overview-queries.ts';

/** Suppliers whose caps are loaded: those with the most submissions. */
const MAX_CAPPED = 10;

/** How much of its daily cap each supplier has used. */
export const DailyCaps = ({ environment }: { readonly environment: Environment }) => (
  <Panel title="Daily caps" query={useLatestIntake(environment)}>
    {({ accounts: counted }) => <Caps counted={counted.slice(0, MAX_CAPPED)} />}
  </Panel>
);

function Caps({ counted }: { readonly counted: readonly IntakeOfAccount[] }) {
  const loaded = useQueries({
    queries: counted.map(({ accountId }) => accountQuery(accountId)),
  });
  const capped = counted.flatMap(({ accountId, acceptedToday }, place) => {
    const cap = loaded[place]?.data?.terms?.caps?.acceptedPerDay;
    return cap === undefined ? [] : [{ accountId, used: acceptedToday, cap }];
  });
  const failed = loaded.find(({ data, error }) => error && !data);
  if (failed) return <LoadError error={failed.error} />;
  if (loaded.some(({ data }) => !data)) return <LoadingLines />;
  if (capped.length === 0) return <p>No supplier with submissions this month has a daily cap.</p>;
  return (
    <Stack gap="sm">
      {capped.map(({ accountId, used, cap }) => (
        <CapBar key={accountId} label={<SupplierName accountId={accountId} />} used={used} cap={cap} />
      ))}
    </Stack>
  );
}
