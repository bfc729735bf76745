import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type Account, AccountService, type Credential } from '@supplier/proto/account/v1/account';
import { ScopeSchema } from '@supplier/proto/common/v1/principal';
import { useQuery } from '@tanstack/react-query';
import { IssueCredentialAction, RevokeCredentialAction } from '../actions/credential-actions.tsx';
import { useFrozen } from '../actions/use-frozen.ts';
import { accounts, mayCall } from '../calls.ts';
import { Panel } from '../components/panel.tsx';
import { EnvironmentBadge } from '../components/status-badge.tsx';
import { enumFlag, formatTime } from '../format.ts';
import { useSession } from '../session.ts';

/** The credentials of a supplier, without their secrets. */
export function CredentialsPanel({ account }: { readonly account: Account }) {
  const { accountId } = account;
  const { roles } = useSession();
  const query = useQuery({
    queryKey: ['credentials', accountId],
    queryFn: ({ signal }) => accounts.listCredentials({ accountId }, { signal }),
  });
  return (
    <Panel title="Credentials" query={query}>
      {({ credentials }) => (
        <>
          {credentials.length === 0 ? (
            <p>No credentials.</p>
          ) : (
            <ul>
              {credentials.map((credential) => (
                <Entry key={credential.credentialId} credential={credential} />
              ))}
            </ul>
          )}
          {mayCall(roles, AccountService.method.issueCredential) ? (
            <fieldset className="actions">
              <legend>Actions</legend>
              <IssueCredentialAction account={account} />
            </fieldset>
          ) : null}
        </>
      )}
    </Panel>
  );
}

function Entry({ credential: present }: { readonly credential: Credential }) {
  const { roles } = useSession();
  const [credential, onOpen] = useFrozen(present);
  const canRevoke = !credential.revokedAt && mayCall(roles, AccountService.method.revokeCredential);
  const scopes = present.scopes.map((scope) => enumFlag(ScopeSchema, scope)).join(', ');
  return (
    <li>
      <strong>{present.publicId}</strong> <EnvironmentBadge environment={present.environment} /> for {scopes},
      created {formatTime(present.createdAt)}, {endOf(present)}{' '}
      {canRevoke ? <RevokeCredentialAction credential={credential} onOpen={onOpen} /> : null}
    </li>
  );
}

function endOf({ revokedAt, expiresAt }: Credential): string {
  if (revokedAt) return `revoked ${formatTime(revokedAt)}`;
  if (!expiresAt) return 'does not expire';
  return `${timestampDate(expiresAt).getTime() <= Date.now() ? 'expired' : 'expires'} ${formatTime(expiresAt)}`;
}
