import { Alert } from '@mantine/core';
import type { Approval } from '@supplier/proto/approval/v1/approval';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { useQuery } from '@tanstack/react-query';
import { keyOf, mayCall, policies } from '../../calls.ts';
import { Panel } from '../../components/panel.tsx';
import { figuresQuery } from '../../figures-query.ts';
import { useSession } from '../../session.ts';
import { kindNamed } from '../policies/policy-kinds.ts';
import { TextDifference } from '../policy/policy-difference.tsx';

/** The text of a policy whose activation is requested, compared with the version that it replaces. */
export function PolicyChange({ approval: { action, lines } }: { readonly approval: Approval }) {
  const { roles } = useSession();
  const lineOf = (name: string) => lines.find((line) => line.name === name);
  const { before = '', after = '' } = lineOf('policy.version') ?? {};
  const kind = kindNamed(lineOf('kind')?.after ?? '');
  const digests = lineOf('policy.sha256');
  const isPolicy = action === 'ActivatePolicy' && after !== '';
  const mayRead = isPolicy && mayCall(roles, PolicyService.method.getPolicy);
  const query = useQuery({
    ...figuresQuery,
    queryKey: keyOf(PolicyService.method.getPolicy, { kind, version: after }, before),
    enabled: mayRead,
    queryFn: ({ signal }) =>
      Promise.all([
        before === '' ? undefined : policies.getPolicy({ kind, version: before }, { signal }),
        policies.getPolicy({ kind, version: after }, { signal }),
      ]),
  });
  if (!mayRead) return null;
  return (
    <Panel title="Policy text" query={query} isFlush>
      {([old, present]) =>
        digests &&
        (old?.policy?.sha256 ?? '') === (digests.before ?? '') &&
        present.policy?.sha256 === digests.after ? (
          <TextDifference
            before={old?.text ?? ''}
            after={present.text}
            heads={[
              before === '' ? 'No active version' : `Active when requested: ${before}`,
              `Requested: ${after}`,
            ]}
          />
        ) : (
          <Alert color="red" m="md">
            The stored text isn’t the one that this request covers. Do not approve it.
          </Alert>
        )
      }
    </Panel>
  );
}
