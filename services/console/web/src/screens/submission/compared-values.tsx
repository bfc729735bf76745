import { Box, Button } from '@mantine/core';
import type { DecisionFacts } from '@supplier/proto/submission/v1/get_decision_facts';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { FactKind, type Timeline } from '@supplier/proto/submission/v1/timeline';
import { useState } from 'react';
import { mayCall, submissions } from '../../calls.ts';
import { Facts } from '../../components/facts.tsx';
import { PurposeForm } from '../../components/purpose-field.tsx';
import { Revealed } from '../../components/revealed.tsx';
import { useReveal } from '../../components/use-reveal.ts';
import { capitalize, spacedWithin } from '../../format.ts';
import { useSession } from '../../session.ts';

/** The values that the rules in a timeline compared, after a purpose is stated. */
export function ComparedValues({ timeline: { submissionId, entries } }: { readonly timeline: Timeline }) {
  const { roles } = useSession();
  const [isOpen, setOpen] = useState(false);
  const facts = useReveal<DecisionFacts>();
  const hasCompared = entries.some(
    ({ what }) =>
      (what.case === 'decided' || what.case === 'preUnderwriting') &&
      what.value.comparedKinds.some((kind) => kind !== FactKind.EARLIER_SUBMISSIONS),
  );
  if (!hasCompared || !mayCall(roles, SubmissionService.method.getDecisionFacts)) return null;
  if (!isOpen)
    return (
      <Button size="compact-sm" mt="sm" onClick={() => setOpen(true)}>
        Show values…
      </Button>
    );
  const show = (purpose: string) =>
    facts.show((signal) => submissions.getDecisionFacts({ submissionId, purpose }, { signal }));
  return (
    <Box mt="sm">
      <PurposeForm autoFocus isReady={!facts.isAsking} onSubmit={show}>
        {(purpose) => (
          <Button type="submit" disabled={purpose === undefined}>
            Show values
          </Button>
        )}
      </PurposeForm>
      <Revealed of={facts} label="Compared values">
        {({ decision, preUnderwriting }) => (
          <Facts facts={[inWords('Decision', decision), inWords('Pre-underwriting', preUnderwriting)]} />
        )}
      </Revealed>
    </Box>
  );
}

const inWords = (name: string, compared: string) =>
  compared === '' ? undefined : ([name, inSentences(compared)] as const);

const inSentences = (compared: string) =>
  capitalize(spacedWithin(compared)).replaceAll(' is true', ': yes').replaceAll(' is false', ': no');
