// Verifies webhooks. .NET 8 or later, no dependencies; also Mono 6 and .NET Framework with System.Web.Extensions.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
#if NET
using System.Text.Json;
#else
using System.Web.Script.Serialization;
#endif

public static class Verifier
{
    const int ToleranceSeconds = 300;
    const int LargestBody = 1024 * 1024;

    /// <summary>
    /// Whether a value can be a signing secret. Anything else, such as an empty variable, could be guessed by whoever wants
    /// to sign; a pasted line end would be part of the key.
    /// </summary>
    public static bool IsSecret(string value)
    {
        return value != null && Regex.IsMatch(value, @"\Awhsec_[A-Za-z0-9_-]{43}\z");
    }

    /// <summary>
    /// True when the request is genuine. rawBody is the body as it arrived, secrets are all that you accept at the moment: a
    /// value that cannot be a secret is skipped. now is Unix time in seconds; null leaves the age unchecked, which is for
    /// test vectors only.
    /// </summary>
    public static bool Verify(byte[] rawBody, string timestamp, string signature, IEnumerable<string> secrets, long? now)
    {
        if (timestamp == null || !Regex.IsMatch(timestamp, @"\A[0-9]{1,15}\z")) return false;
        if (now != null && Math.Abs(now.Value - long.Parse(timestamp)) > ToleranceSeconds) return false;
        var signed = Encoding.ASCII.GetBytes(timestamp + ".").Concat(rawBody).ToArray();
        var entries = (signature ?? "").Split(',').Select(entry => Encoding.UTF8.GetBytes(entry.Trim())).ToList();
        foreach (var secret in secrets.Where(IsSecret))
        {
            using (var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(secret)))
            {
                var hex = BitConverter.ToString(hmac.ComputeHash(signed)).Replace("-", "").ToLowerInvariant();
                var wanted = Encoding.ASCII.GetBytes("v1=" + hex);
                if (entries.Any(entry => CryptographicOperations.FixedTimeEquals(entry, wanted))) return true;
            }
        }
        return false;
    }

    /// <summary>Answers 204 to what is genuine and 401 to everything else.</summary>
    static void Serve(int port)
    {
        var secrets = (Environment.GetEnvironmentVariable("WEBHOOK_SECRETS") ?? "")
            .Split(',').Where(IsSecret).ToArray();
        if (secrets.Length == 0)
        {
            Console.Error.WriteLine("WEBHOOK_SECRETS must be your signing secret (whsec_ and 43 characters), without spaces, quotes or a line end.");
            Environment.Exit(64);
        }
        var listener = new HttpListener();
        // By either name: a request with another Host is refused before it gets here.
        listener.Prefixes.Add("http://127.0.0.1:" + port + "/");
        listener.Prefixes.Add("http://localhost:" + port + "/");
        listener.Start();
        while (true)
        {
            var context = listener.GetContext();
            try
            {
                context.Response.StatusCode = Receive(context.Request, secrets);
                context.Response.Close();
            }
            catch (Exception error)
            {
                Console.Error.WriteLine(error.Message);
                context.Response.Abort();
            }
        }
    }

    static int Receive(HttpListenerRequest request, string[] secrets)
    {
        var body = ReadBody(request);
        if (body == null) return 413;
        var now = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        var timestamp = request.Headers["Svc-Webhook-Timestamp"];
        var signature = request.Headers["Svc-Webhook-Signature"];
        if (!Verify(body, timestamp, signature, secrets, now)) return 401;
        // Here: parse, skip an id that you have seen, put the event into your own queue, and answer. Work on it afterwards.
        Console.WriteLine(request.Headers["Svc-Webhook-Id"]);
        return 204;
    }

    /// <summary>The body as it arrived; null where it is larger than we send, whatever length it announces.</summary>
    static byte[] ReadBody(HttpListenerRequest request)
    {
        if (request.ContentLength64 > LargestBody) return null;
        var body = new MemoryStream();
        var buffer = new byte[16 * 1024];
        for (int read; (read = request.InputStream.Read(buffer, 0, buffer.Length)) > 0;)
        {
            if (body.Length + read > LargestBody) return null;
            body.Write(buffer, 0, read);
        }
        return body.ToArray();
    }

    sealed class Vector
    {
        public string description { get; set; }
        public bool valid { get; set; }
        public List<string> secrets { get; set; }
        public string timestamp { get; set; }
        public string signature { get; set; }
        public string body { get; set; }
        public long? now { get; set; }
    }

    sealed class VectorFile
    {
        public List<Vector> vectors { get; set; }
    }

    static VectorFile ReadVectors(string file)
    {
        var text = File.ReadAllText(file, Encoding.UTF8);
#if NET
        return JsonSerializer.Deserialize<VectorFile>(text);
#else
        return new JavaScriptSerializer().Deserialize<VectorFile>(text);
#endif
    }

    /// <summary>How many vectors come out other than they should.</summary>
    static int WrongVectors(string file)
    {
        var vectors = ReadVectors(file).vectors;
        var wrong = vectors.Where(vector =>
            Verify(Encoding.UTF8.GetBytes(vector.body), vector.timestamp, vector.signature, vector.secrets, vector.now)
                != vector.valid).ToList();
        foreach (var vector in wrong) Console.Error.WriteLine("wrong: " + vector.description);
        Console.WriteLine((vectors.Count - wrong.Count) + " of " + vectors.Count + " vectors are as they should be");
        return vectors.Count == 0 ? 1 : wrong.Count;
    }

    public static int Main(string[] args)
    {
        if (args.Length == 2 && args[0] == "vectors") return WrongVectors(args[1]) == 0 ? 0 : 1;
        if (args.Length == 2 && args[0] == "serve") Serve(int.Parse(args[1]));
        Console.Error.WriteLine("usage: vectors FILE | serve PORT");
        return 64;
    }
}
