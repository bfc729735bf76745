import { Button, InputGroup } from '@blueprintjs/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { UUID } from '../words.ts';

/** An address, or so many digits as a telephone has: what is looked for stands in the browser's history. */
const isPersonal = (text: string) =>
  text.includes('@') || (/^\+?[\d\s()-]{9,}$/.test(text) && !UUID.test(text));

/** Looks for a submission by what somebody has at hand. What is looked for is no detail of a person: it stands in the address. */
export function FindBox() {
  const [text, setText] = useState('');
  const [personal, setPersonal] = useState(false);
  const navigate = useNavigate();
  return (
    <search className="find-place">
      <form
        className="find"
        onSubmit={(event) => {
          event.preventDefault();
          const what = text.trim();
          setPersonal(isPersonal(what));
          if (what !== '' && !isPersonal(what)) void navigate({ to: '/find', search: { what } });
        }}
      >
        <InputGroup
          aria-label="Submission, request or Application"
          placeholder="Id or Application"
          value={text}
          maxLength={128}
          onValueChange={setText}
        />
        <Button type="submit">Find</Button>
      </form>
      {personal ? (
        <p role="alert">That is of a person: it is looked for under People, with a purpose.</p>
      ) : null}
    </search>
  );
}
