import { Button, Callout } from '@blueprintjs/core';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { Link, Outlet } from '@tanstack/react-router';
import { mayCall } from './calls.ts';
import { FindBox } from './parts/find-box.tsx';
import { logOut, resumeSession, useSession } from './session.ts';

/** What stands around every screen: where one can go, who one is, and whether the login is over. */
export function Shell() {
  const { subject, roles, isOver } = useSession();
  return (
    <>
      <a className="skip" href="#screen">
        Skip to the screen
      </a>
      <header className="top">
        <nav aria-label="Screens">
          <Link to="/" activeOptions={{ exact: true }}>
            Today
          </Link>
          {mayCall(roles, SubmissionService.method.listSubmissions) ? (
            <Link to="/submissions">Submissions</Link>
          ) : null}
        </nav>
        <FindBox />
        <div className="who">
          <span>
            {subject} <small>({roles.join(', ')})</small>
          </span>
          <Button size="small" onClick={() => void logOut()}>
            Log out everywhere
          </Button>
        </div>
      </header>
      {isOver ? <LoginOver /> : null}
      <main id="screen" tabIndex={-1}>
        <Outlet />
      </main>
    </>
  );
}

function LoginOver() {
  return (
    <Callout intent="warning" title="Your login is over" role="alert">
      <p>Nothing that you have typed is lost: log in on another tab, then come back and go on.</p>
      <a className="bp6-button" href="/login" target="_blank" rel="noreferrer">
        Log in on another tab
      </a>{' '}
      <Button onClick={() => void resumeSession()}>Go on</Button>
    </Callout>
  );
}
