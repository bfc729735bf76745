import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Button, Group, NumberInput, Text } from '@mantine/core';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keyOf, people } from '../../calls.ts';
import { SubmissionLink } from '../../components/mono.tsx';
import { Panel } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { EnvironmentBadge } from '../../components/status-badge.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { DAY_MS, formatMonth } from '../../dates.ts';
import { withNoun } from '../../format.ts';

const MAX_DAYS = 3_650;

/** Previews what retention will erase. It erases nothing. */
export function RetentionPanel() {
  const [days, setDays] = useState(30);
  const query = useQuery({
    queryKey: keyOf(PrivacyService.method.previewRetention, {}, days),
    refetchInterval: false,
    queryFn: ({ signal }) =>
      people.previewRetention({ at: timestampFromDate(new Date(Date.now() + days * DAY_MS)) }, { signal }),
  });
  return (
    <Panel title="Retention" query={query} actions={<DaysForm days={days} onChange={setDays} />}>
      {({ groups, count, atLeast, firstIds, acceptedDays, notAcceptedDays }) => (
        <>
          <Text size="sm" c="dimmed">
            {`Accepted applicants are kept for ${withNoun(acceptedDays, 'day')}, others for ${withNoun(notAcceptedDays, 'day')}.`}
          </Text>
          <Text my="sm" role="status">
            {count === 0
              ? 'Nothing is due for erasure in this period.'
              : `${atLeast ? 'At least ' : ''}${withNoun(count, 'submission')} will be erased within ${withNoun(days, 'day')}.`}
          </Text>
          {groups.length === 0 ? null : (
            <SimpleTable
              label="Due for erasure"
              heads={['Supplier', 'Environment', 'Decided in', 'Accepted', 'Count']}
              numbers={['Count']}
              rows={groups.map(({ accountId, environment, month, accepted, count: some }) => [
                <SupplierName key="supplier" accountId={accountId} />,
                <EnvironmentBadge key="environment" environment={environment} />,
                formatMonth(month),
                accepted ? 'Yes' : 'No',
                some.toLocaleString('en-GB'),
              ])}
            />
          )}
          {firstIds.length === 0 ? null : (
            <Text size="sm" mt="sm" component="div">
              First due
              <Group gap="xs">
                {firstIds.map((submissionId) => (
                  <SubmissionLink key={submissionId} submissionId={submissionId} />
                ))}
              </Group>
            </Text>
          )}
        </>
      )}
    </Panel>
  );
}

function DaysForm({ days, onChange }: { readonly days: number; readonly onChange: (days: number) => void }) {
  const [typed, setTyped] = useState<number | string>(days);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (typeof typed === 'number') onChange(typed);
      }}
    >
      <Group gap="xs">
        <NumberInput
          size="xs"
          w={90}
          aria-label="Days from now"
          min={0}
          max={MAX_DAYS}
          clampBehavior="strict"
          allowDecimal={false}
          suffix=" days"
          value={typed}
          onChange={setTyped}
        />
        <Button type="submit">Preview</Button>
      </Group>
    </form>
  );
}
