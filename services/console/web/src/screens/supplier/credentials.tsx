import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Badge, NativeSelect } from '@mantine/core';
import { type Account, AccountService, type Credential } from '@supplier/proto/account/v1/account';
import { ScopeSchema } from '@supplier/proto/common/v1/principal';
import { Environment, EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApprovableAction } from '../../actions/approvable-action.tsx';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { RowActions } from '../../actions/page-actions.tsx';
import { useFrozen } from '../../actions/use-frozen.ts';
import { accounts, queryOf, useMay } from '../../calls.ts';
import { DateTimeField } from '../../components/fields.tsx';
import { Mono } from '../../components/mono.tsx';
import { Panel } from '../../components/panel.tsx';
import { LostSecret, Secret } from '../../components/secret.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { EnvironmentBadge } from '../../components/status-badge.tsx';
import { ExactTime } from '../../components/time.tsx';
import { timeIn } from '../../dates.ts';
import { enumFlag, enumLabel } from '../../format.ts';
import { inOrder } from './settings.ts';
import { EnumCheckboxes } from './settings-fields.tsx';

/** Returns the credentials of a supplier, and those that it can use. */
export function useCredentials(accountId: string) {
  const may = useMay();
  const query = useQuery({
    ...queryOf(AccountService.method.listCredentials, { accountId }),
    enabled: may(AccountService.method.listCredentials),
  });
  return { query, active: (query.data?.credentials ?? []).filter(isActive) };
}

const isExpired = ({ expiresAt }: Credential) =>
  expiresAt !== undefined && timestampDate(expiresAt).getTime() <= Date.now();
const isActive = (credential: Credential) => !credential.revokedAt && !isExpired(credential);

/** The credentials of a supplier, without their secrets. */
export const SupplierCredentials = ({ account }: { readonly account: Account }) => (
  <Panel title="Credentials" query={useCredentials(account.accountId).query} isFlush>
    {({ credentials }) => (
      <SimpleTable
        label="Credentials"
        empty="No credentials. Issue one so that the supplier can call the API."
        heads={['Credential', 'Environment', 'Status', 'Scopes', 'Created', 'Expires', 'Actions']}
        minor={['Created']}
        rows={credentials.map((credential) => [
          <Mono key="id">{credential.publicId}</Mono>,
          <EnvironmentBadge key="environment" environment={credential.environment} />,
          <CredentialBadge key="state" credential={credential} />,
          credential.scopes.map((scope) => enumLabel(ScopeSchema, scope)).join(', '),
          <ExactTime key="created" at={credential.createdAt} />,
          credential.expiresAt ? <ExactTime key="expires" at={credential.expiresAt} /> : 'Never',
          <RevokeAction key="revoke" credential={credential} />,
        ])}
      />
    )}
  </Panel>
);

const CredentialBadge = ({ credential }: { readonly credential: Credential }) =>
  isActive(credential) ? (
    <Badge color="green">Active</Badge>
  ) : (
    <Badge color="gray">{credential.revokedAt ? 'Revoked' : 'Expired'}</Badge>
  );

/** Revokes a credential. */
function RevokeAction({ credential: present }: { readonly credential: Credential }) {
  const may = useMay();
  const [{ credentialId, publicId, environment, revokedAt }, onOpen] = useFrozen(present);
  if (revokedAt || !may(AccountService.method.revokeCredential)) return null;
  return (
    <RowActions>
      <ConfirmDialog
        name="Revoke"
        description={`Rejects calls with credential ${publicId} immediately. This cannot be undone.`}
        environment={environment}
        command={`sss credentials revoke ${credentialId} --yes`}
        isDestructive
        onOpen={onOpen}
        run={() => accounts.revokeCredential({ credentialId })}
        toastOf={() => ({ message: 'Credential revoked' })}
      />
    </RowActions>
  );
}

const ENVIRONMENTS = [Environment.SANDBOX, Environment.PRODUCTION].map((environment) => ({
  value: String(environment),
  label: enumLabel(EnvironmentSchema, environment),
}));

interface IssueProps {
  readonly account: Account;
  readonly isPrimary?: boolean;
}

/** Issues a credential to a supplier, with all permitted scopes unless some are taken out. */
export function IssueCredentialAction({ account: present, isPrimary }: IssueProps) {
  const [account, onOpen] = useFrozen(present);
  const { accountId, permittedScopes } = account;
  const permitted = inOrder(permittedScopes.map(String));
  const [environment, setEnvironment] = useState<Environment>(Environment.SANDBOX);
  const [chosen, setChosen] = useState(permitted);
  const [time, setTime] = useState('');
  const [isIssued, setIssued] = useState(false);
  const scopes = chosen === '' ? [] : chosen.split(',').map(Number);
  const expiresAt = timeIn(time);
  const flags = scopes.map((scope) => enumFlag(ScopeSchema, scope)).join(',');
  return (
    <ApprovableAction
      name="Issue a credential"
      isPrimary={isPrimary}
      description={`${account.name} can use the credential immediately, with the scopes below.`}
      environment={environment}
      method={AccountService.method.issueCredential}
      request={(approvalId, idempotencyKey) => ({
        accountId,
        environment,
        scopes,
        ...(expiresAt ? { expiresAt: timestampFromDate(new Date(expiresAt)) } : {}),
        approvalId,
        idempotencyKey,
      })}
      onDone={() => setIssued(true)}
      renderResult={({ bearer, secretAlreadyShown, credential }) =>
        secretAlreadyShown ? (
          <LostSecret
            done={`The credential ${credential?.publicId ?? ''} was issued.`}
            next="Revoke it and issue another."
          />
        ) : (
          <Secret
            label="Credential"
            secret={bearer}
            description="Send it to the supplier over a secure channel."
          />
        )
      }
      command={`sss credentials issue ${accountId} --environment ${enumFlag(EnvironmentSchema, environment)} --scopes ${flags}${expiresAt ? ` --expires-at ${expiresAt}` : ''}`}
      unready={scopes.length > 0 ? 'Enter a complete time.' : 'Choose at least one scope.'}
      isReady={scopes.length > 0 && (time === '' || expiresAt !== undefined)}
      onOpen={(isOpen) => {
        onOpen(isOpen);
        if (isOpen) setChosen(permitted);
        // Not before: the title says in which environment the new credential is valid.
        if (!isIssued) return;
        setEnvironment(Environment.SANDBOX);
        setTime('');
        setIssued(false);
      }}
    >
      <NativeSelect
        label="Environment"
        mb="sm"
        value={environment}
        onChange={(event) => setEnvironment(Number(event.target.value))}
        data={ENVIRONMENTS}
      />
      <EnumCheckboxes
        label="Scopes"
        mb="sm"
        schema={ScopeSchema}
        among={permittedScopes}
        text={chosen}
        onChange={setChosen}
      />
      <DateTimeField
        path="expires_at"
        label="Expires"
        value={time}
        onChange={setTime}
        description="Leave empty for a credential that does not expire."
      />
    </ApprovableAction>
  );
}
