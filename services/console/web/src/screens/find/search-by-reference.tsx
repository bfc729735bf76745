import { Button, Group, Text, TextInput } from '@mantine/core';
import { AccountService } from '@supplier/proto/account/v1/account';
import { Environment, EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accounts, mayCall } from '../../calls.ts';
import { LoadError } from '../../components/load-error.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { SubmissionsLink } from '../../components/submissions-link.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { enumLabel } from '../../format.ts';
import { useSession } from '../../session.ts';
import { FIND } from './find-texts.ts';

/** Maximum suppliers listed. A longer name narrows the search. */
const FEW = 10;
const ENVIRONMENTS = [Environment.SANDBOX, Environment.PRODUCTION] as const;

/** Searches for a supplier by name, and links to its submissions whose reference begins with `reference`. */
export function SearchByReference({ reference }: { readonly reference: string }) {
  const { roles } = useSession();
  const [name, setName] = useState('');
  const { data, error } = useQuery({
    queryKey: ['suppliers-called', name],
    queryFn: ({ signal }) => accounts.listAccounts({ nameContains: name, pageSize: FEW }, { signal }),
    enabled: name !== '',
    refetchInterval: false,
  });
  if (!mayCall(roles, AccountService.method.listAccounts)) return null;
  return (
    <PanelFrame title={FIND.byReference}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setName(String(new FormData(event.currentTarget).get('name') ?? '').trim());
        }}
      >
        <Group gap="xs" align="end">
          <TextInput label={FIND.supplierName} name="name" maxLength={128} />
          <Button type="submit">{FIND.search}</Button>
        </Group>
      </form>
      {error ? <LoadError error={error} /> : null}
      {data?.accounts.length === 0 ? <Text mt="sm">{FIND.noSupplier}</Text> : null}
      {data && data.accounts.length > 0 ? (
        <SimpleTable
          label={FIND.byReference}
          heads={[
            'Supplier',
            ...ENVIRONMENTS.map((environment) => enumLabel(EnvironmentSchema, environment)),
          ]}
          rows={data.accounts.map(({ accountId }) => [
            <SupplierName key="name" accountId={accountId} isLink={false} />,
            ...ENVIRONMENTS.map((environment) => (
              <SubmissionsLink key={environment} search={{ account: accountId, environment, reference }}>
                {reference}
              </SubmissionsLink>
            )),
          ])}
        />
      ) : null}
      {data && data.nextPageToken !== '' ? <Text mt="sm">{FIND.moreSuppliers}</Text> : null}
    </PanelFrame>
  );
}
