import { FormGroup, HTMLSelect } from '@blueprintjs/core';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Account, AccountService, type Credential } from '@supplier/proto/account/v1/account';
import { ScopeSchema } from '@supplier/proto/common/v1/principal';
import { Environment, EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { accounts } from '../calls.ts';
import { Several } from '../parts/settings-fields.tsx';
import { flagOf } from '../words.ts';
import { Act } from './act.tsx';
import { ApprovableAct } from './approvable-act.tsx';
import { MomentField, timeIn } from './moment-field.tsx';
import { LostSecret, Secret } from './secret.tsx';

/** Issues a credential to a supplier. */
export function IssueCredentialAct({ account }: { readonly account: Account }) {
  const { accountId, permittedScopes } = account;
  const [environment, setEnvironment] = useState<Environment>(Environment.SANDBOX);
  const [chosen, setChosen] = useState('');
  const [moment, setMoment] = useState('');
  const scopes = chosen === '' ? [] : chosen.split(',').map(Number);
  const expiresAt = timeIn(moment);
  const words = scopes.map((scope) => flagOf(ScopeSchema, scope)).join(',');
  return (
    <ApprovableAct
      name="Issue a credential"
      says={`${account.name} can make calls with it at once, for what is chosen here.`}
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
      shows={({ bearer, secretAlreadyShown, credential }) =>
        secretAlreadyShown ? (
          <LostSecret
            done={`The credential ${credential?.publicId ?? ''} was issued.`}
            next="Revoke it, and issue another one."
          />
        ) : (
          <Secret
            label="The credential"
            secret={bearer}
            says="Give it to the supplier by a way that is safe."
          />
        )
      }
      command={`sss credentials issue ${accountId} --environment ${flagOf(EnvironmentSchema, environment)} --scopes ${words}${expiresAt ? ` --expires-at ${expiresAt}` : ''}`}
      isReady={scopes.length > 0 && (moment === '' || expiresAt !== undefined)}
      onOpen={() => {}}
    >
      <FormGroup label="Environment" labelFor="issue-environment">
        <HTMLSelect
          id="issue-environment"
          value={environment}
          onChange={(event) => setEnvironment(Number(event.target.value))}
          options={[
            { value: Environment.SANDBOX, label: 'sandbox' },
            { value: Environment.PRODUCTION, label: 'production' },
          ]}
        />
      </FormGroup>
      <fieldset className="several">
        <legend>Scopes, of those permitted to the account</legend>
        <Several schema={ScopeSchema} among={permittedScopes} text={chosen} onChange={setChosen} />
      </fieldset>
      <MomentField
        id="issue-expires"
        label="Expires"
        value={moment}
        onChange={setMoment}
        help="Nothing for one that does not expire."
      />
    </ApprovableAct>
  );
}

interface RevokeProps {
  readonly credential: Credential;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Revokes a credential. */
export const RevokeCredentialAct = ({
  credential: { credentialId, publicId, environment },
  onOpen,
}: RevokeProps) => (
  <Act
    name="Revoke"
    says={`Whoever still uses the credential ${publicId} is turned away, at once and for good.`}
    environment={environment}
    command={`sss credentials revoke ${credentialId} --yes`}
    isReady
    onOpen={onOpen}
    run={() => accounts.revokeCredential({ credentialId })}
  />
);
