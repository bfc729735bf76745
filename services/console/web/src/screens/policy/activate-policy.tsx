import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import {
  type GetPolicyResponse,
  type Policy,
  PolicyKind,
  type PolicyRule,
  PolicyService,
} from '@supplier/proto/submission/v1/policies';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApprovableAction } from '../../actions/approvable-action.tsx';
import { useFrozen } from '../../actions/use-frozen.ts';
import { mayCall, policies } from '../../calls.ts';
import { LoadError } from '../../components/load-error.tsx';
import { isPurpose, LONGEST, PurposeField } from '../../components/purpose-field.tsx';
import { quoted, withNoun } from '../../format.ts';
import { useSession } from '../../session.ts';
import { kindName } from '../policies/policy-kinds.ts';
import { compareRules } from './compare-rules.ts';
import { useDryRun } from './dry-run.tsx';
import { DryRunEffect } from './dry-run-result.tsx';
import { TextDifference } from './policy-difference.tsx';

const PREVIEWED = 1_000;
/** Leaves room for the fields below. */
const DIFFERENCE_PX = 260;
const method = PolicyService.method.activatePolicy;

/** Activates a stored version, with its effect in numbers. */
export function ActivatePolicyAction(present: {
  readonly policy: Policy;
  readonly text: string;
  readonly rules: readonly PolicyRule[];
  /** The active version. Undefined while it is loading or if there is none. */
  readonly active: GetPolicyResponse | undefined;
}) {
  const { roles } = useSession();
  const [{ policy, text, rules, active }, onOpen] = useFrozen(present);
  const isStored = useLocation({ select: ({ state }) => state.isStored === true });
  const navigate = useNavigate();
  // The person has just written it.
  const [purpose, setPurpose] = useState(isStored ? policy.note.slice(0, LONGEST) : '');
  if (policy.active || !mayCall(roles, method)) return null;
  const { kind, version } = policy;
  const trimmed = purpose.trim();
  const { added, changed, removed } = compareRules(active?.rules ?? [], rules);
  return (
    <ApprovableAction
      name="Activate"
      isPrimary
      description={`Version ${visible(version)} decides every submission from now on. Earlier decisions don’t change.`}
      environment="both"
      service="submission"
      method={method}
      request={(approvalId) => ({ kind, version, purpose: trimmed, approvalId })}
      call={async (request) => {
        const answer = await policies.activatePolicy(request);
        setPurpose('');
        return answer;
      }}
      toastOf={() => ({ message: 'Version activated' })}
      command={`sss policies activate ${kindName(kind)} ${quoted(version)} --purpose ${quoted(trimmed)}`}
      isConfirmed
      isReady={isPurpose(purpose)}
      startsOpen={isStored}
      onOpen={(isOpen) => {
        onOpen(isOpen);
        // Neither a reload nor Back opens it again.
        if (!isOpen && isStored) void navigate({ to: '.', search: true, state: {}, replace: true });
      }}
    >
      {active ? (
        <p>{`Compared with the active version: ${withNoun(added.length, 'rule')} added, ${changed.length} changed, ${removed.length} removed.`}</p>
      ) : null}
      {active?.policy ? (
        <Paper withBorder mb="sm" mah={DIFFERENCE_PX} style={{ overflow: 'auto' }} tabIndex={0}>
          <TextDifference
            before={active.text}
            after={text}
            heads={[`Active: ${active.policy.version}`, `This version: ${version}`]}
          />
        </Paper>
      ) : null}
      <PurposeField value={purpose} onChange={setPurpose} autoFocus />
      {kind === PolicyKind.DECISION ? <EffectPreview text={text} purpose={purpose} /> : null}
    </ApprovableAction>
  );
}

/** What the version would have changed among the latest submissions. */
function EffectPreview({ text, purpose }: { readonly text: string; readonly purpose: string }) {
  const { result, run, isRunning, error } = useDryRun();
  return (
    <Stack gap="sm" mb="sm">
      <Group gap="xs">
        <Button
          disabled={!isPurpose(purpose)}
          loading={isRunning}
          onClick={() => run({ text, last: PREVIEWED, purpose: purpose.trim() })}
        >
          Preview effect
        </Button>
        <Text size="xs" c="dimmed">
          {`See how it would have decided the latest ${PREVIEWED.toLocaleString('en-GB')} submissions.`}
        </Text>
      </Group>
      {error ? <LoadError error={error} title="The dry run failed" /> : null}
      {result ? <DryRunEffect result={result} isRunning={isRunning} /> : null}
    </Stack>
  );
}
