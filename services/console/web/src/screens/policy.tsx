import { Badge } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { type Policy, PolicyKindSchema } from '@supplier/proto/submission/v1/policies';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ActivatePolicyAction } from '../actions/activate-policy.tsx';
import { policies } from '../calls.ts';
import { Panel } from '../components/panel.tsx';
import { enumName, formatTime } from '../format.ts';
import { PolicyDifference } from '../parts/policy-difference.tsx';
import { PolicyDraft } from '../parts/policy-draft.tsx';
import { kindNamed } from '../parts/policy-kinds.ts';
import { PolicyRules } from '../parts/policy-rules.tsx';

const route = getRouteApi('/policies/$kind/$version');

/** Shows one policy version: its rules, what it would change, and its activation. */
export function PolicyScreen() {
  const { kind: kindInAddress, version } = route.useParams();
  const kind = kindNamed(kindInAddress);
  const found = useQuery({
    queryKey: ['policy', kind, version],
    queryFn: ({ signal }) => policies.getPolicy({ kind, version }, { signal }),
    enabled: kind !== 0,
  });
  const inForce = useQuery({
    queryKey: ['policy', kind, ''],
    queryFn: ({ signal }) => policies.getPolicy({ kind }, { signal }),
    enabled: kind !== 0,
  });
  if (kind === 0) return <p role="alert">There is no such kind of policy.</p>;
  const text = found.data?.text;
  return (
    <>
      <h1>
        Policy of {enumName(PolicyKindSchema, kind)}, version {visible(version)}
      </h1>
      <Panel title="State" query={found} empty="This version does not exist.">
        {({ policy }) => (policy ? <State policy={policy} /> : null)}
      </Panel>
      <Panel title="Rules in order" query={found} empty="">
        {({ rules }) => <PolicyRules kind={kind} rules={rules} />}
      </Panel>
      {text === undefined ? null : (
        <>
          <Panel title="Difference from the active version" query={inForce} empty="No active policy.">
            {(before) => <PolicyDifference before={before.text} after={text} />}
          </Panel>
          <PolicyDraft key={`${kind} ${version}`} kind={kind} text={text} />
        </>
      )}
    </>
  );
}

function State({ policy }: { readonly policy: Policy }) {
  return (
    <>
      <dl className="facts">
        <dt>now</dt>
        <dd>{policy.active ? <Badge color="green">in force</Badge> : 'not in force'}</dd>
        <dt>last put in force</dt>
        <dd>
          {policy.activatedAt
            ? `${formatTime(policy.activatedAt)} by ${visible(policy.activatedBy)}`
            : 'never'}
        </dd>
        <dt>stored</dt>
        <dd>
          {formatTime(policy.storedAt)} by {visible(policy.author)}
        </dd>
        <dt>what is new</dt>
        <dd>{visible(policy.note)}</dd>
        <dt>SHA-256</dt>
        <dd>{policy.sha256}</dd>
      </dl>
      <ActivatePolicyAction policy={policy} />
    </>
  );
}
