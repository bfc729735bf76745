import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { NativeSelect } from '@mantine/core';
import { type Account, AccountService, type Credential } from '@supplier/proto/account/v1/account';
import { ScopeSchema } from '@supplier/proto/common/v1/principal';
import { Environment, EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { accounts } from '../calls.ts';
import { enumFlag } from '../format.ts';
import { BulkAction } from '../parts/settings-fields.tsx';
import { ApprovableAction } from './approvable-action.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { DateTimeField, timeIn } from './date-time-field.tsx';
import { LostSecret, Secret } from './secret.tsx';

/** Issues a credential to a supplier. */
export function IssueCredentialAction({ account }: { readonly account: Account }) {
  const { accountId, permittedScopes } = account;
  const [environment, setEnvironment] = useState<Environment>(Environment.SANDBOX);
  const [chosen, setChosen] = useState('');
  const [moment, setMoment] = useState('');
  const scopes = chosen === '' ? [] : chosen.split(',').map(Number);
  const expiresAt = timeIn(moment);
  const words = scopes.map((scope) => enumFlag(ScopeSchema, scope)).join(',');
  return (
    <ApprovableAction
      name="Issue a credential"
      description={`${account.name} can call the API with it immediately, with the scopes below.`}
      environment={environment}
      service="account"
      method={AccountService.method.issueCredential}
      request={(approvalId) => ({
        accountId,
        environment,
        scopes,
        ...(expiresAt ? { expiresAt: timestampFromDate(new Date(expiresAt)) } : {}),
        approvalId,
      })}
      call={(request, idempotencyKey) => accounts.issueCredential({ ...request, idempotencyKey })}
      renderResult={({ bearer, secretAlreadyShown, credential }) =>
        secretAlreadyShown ? (
          <LostSecret
            done={`The credential ${credential?.publicId ?? ''} was issued.`}
            next="Revoke it, and issue another one."
          />
        ) : (
          <Secret
            label="Credential"
            secret={bearer}
            description="Send it to the supplier over a secure channel."
          />
        )
      }
      command={`sss credentials issue ${accountId} --environment ${enumFlag(EnvironmentSchema, environment)} --scopes ${words}${expiresAt ? ` --expires-at ${expiresAt}` : ''}`}
      isReady={scopes.length > 0 && (moment === '' || expiresAt !== undefined)}
      onOpen={() => {}}
    >
      <NativeSelect
        label="Environment"
        id="issue-environment"
        value={environment}
        onChange={(event) => setEnvironment(Number(event.target.value))}
        data={[
          { value: String(Environment.SANDBOX), label: 'sandbox' },
          { value: String(Environment.PRODUCTION), label: 'production' },
        ]}
      />
      <fieldset className="several">
        <legend>Scopes, of those permitted to the account</legend>
        <BulkAction schema={ScopeSchema} among={permittedScopes} text={chosen} onChange={setChosen} />
      </fieldset>
      <DateTimeField
        id="issue-expires"
        label="Expires"
        value={moment}
        onChange={setMoment}
        help="Nothing for one that does not expire."
      />
    </ApprovableAction>
  );
}

interface RevokeProps {
  readonly credential: Credential;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Revokes a credential. */
export const RevokeCredentialAction = ({
  credential: { credentialId, publicId, environment },
  onOpen,
}: RevokeProps) => (
  <ConfirmDialog
    name="Revoke"
    description={`Calls with the credential ${publicId} are refused immediately. This cannot be undone.`}
    environment={environment}
    command={`sss credentials revoke ${credentialId} --yes`}
    isReady
    onOpen={onOpen}
    run={() => accounts.revokeCredential({ credentialId })}
  />
);
