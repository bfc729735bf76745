import type { DescMessage, Message } from '@bufbuild/protobuf';
import { Button, Group, Text } from '@mantine/core';
import { MaskedContactSchema, ReadEnquiryResponseSchema } from '@supplier/proto/submission/v1/read_enquiry';
import { ApplicationSchema, SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useState } from 'react';
import { mayCall, submissions } from '../../calls.ts';
import { MessageFields } from '../../components/message-fields.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { isPurpose, PurposeField } from '../../components/purpose-field.tsx';
import { Revealed } from '../../components/revealed.tsx';
import { useReveal } from '../../components/use-reveal.ts';
import { useSession } from '../../session.ts';
import { SUBMISSION } from './submission-texts.ts';

interface Details {
  readonly schema: DescMessage;
  readonly message: Message | undefined;
}

interface ApplicantProps {
  readonly submissionId: string;
  /** Whether there is an Application, which contains the applicant's details at the time it was created. */
  readonly hasApplication: boolean;
}

/** The applicant of a submission. Nothing is requested before a purpose is stated. */
export function ApplicantPanel({ submissionId, hasApplication }: ApplicantProps) {
  const { roles } = useSession();
  const [isOpen, setOpen] = useState(false);
  const [purpose, setPurpose] = useState('');
  const details = useReveal<Details>();
  // People who may not read an Application see masked details only.
  const seesAll = mayCall(roles, SubmissionService.method.getApplication);
  const isReady = isPurpose(purpose) && !details.isAsking;
  const request = { submissionId, purpose: purpose.trim() };
  const readMasked = () =>
    details.show(async (signal) => {
      const { masked } = await submissions.readEnquiry({ ...request, masked: true }, { signal });
      return { schema: MaskedContactSchema, message: masked };
    });
  const readEnquiry = () =>
    details.show(async (signal) => ({
      schema: ReadEnquiryResponseSchema,
      message: await submissions.readEnquiry({ ...request, masked: false }, { signal }),
    }));
  const readApplication = () =>
    details.show(async (signal) => ({
      schema: ApplicationSchema,
      message: await submissions.getApplication(request, { signal }),
    }));
  return (
    <PanelFrame
      title={SUBMISSION.applicant}
      actions={
        isOpen ? null : (
          <Button size="compact-sm" onClick={() => setOpen(true)}>
            {SUBMISSION.reveal}
          </Button>
        )
      }
    >
      {isOpen ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady) readMasked();
          }}
        >
          <PurposeField value={purpose} onChange={setPurpose} autoFocus />
          <Group gap="xs" my="sm">
            <Button type="submit" variant="filled" disabled={!isReady}>
              {SUBMISSION.masked}
            </Button>
            {seesAll ? (
              <Button disabled={!isReady} onClick={readEnquiry}>
                {SUBMISSION.enquiry}
              </Button>
            ) : null}
            {seesAll && hasApplication ? (
              <Button disabled={!isReady} onClick={readApplication}>
                {SUBMISSION.theApplication}
              </Button>
            ) : null}
          </Group>
        </form>
      ) : (
        <Text size="sm" c="dimmed">
          {SUBMISSION.applicantHidden}
        </Text>
      )}
      <Revealed of={details} label={SUBMISSION.applicant}>
        {({ schema, message }) =>
          message ? <MessageFields schema={schema} message={message} /> : <p>{SUBMISSION.erased}</p>
        }
      </Revealed>
    </PanelFrame>
  );
}
