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
    /// True when the request is genuine. rawBody is the body as it arrived, secrets are all that you accept at the moment,
    /// and now is Unix time in seconds; null leaves the age unchecked, which is for test vectors only.
    /// </summary>
    public static bool Verify(byte[] rawBody, string timestamp, string signature, IEnumerable<string> secrets, long? now)
    {
        if (timestamp == null || !Regex.IsMatch(timestamp, @"\A[0-9]{1,15}\z")) return false;
        if (now != null && Math.Abs(now.Value - long.Parse(timestamp)) > ToleranceSeconds) return false;
        var signed = Encoding.ASCII.GetBytes(timestamp + ".").Concat(rawBody).ToArray();
        var entries = (signature ?? "").Split(',').Select(entry => Encoding.UTF8.GetBytes(entry.Trim())).ToList();
        foreach (var secret in secrets)
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
            .Split(new[] { ',' }, StringSplitOptions.RemoveEmptyEntries);
        var listener = new HttpListener();
        listener.Prefixes.Add("http://127.0.0.1:" + port + "/");
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
        if (request.ContentLength64 > LargestBody) return 413;
        var body = new MemoryStream();
        request.InputStream.CopyTo(body);
        var now = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        var timestamp = request.Headers["Svc-Webhook-Timestamp"];
        var signature = request.Headers["Svc-Webhook-Signature"];
        if (!Verify(body.ToArray(), timestamp, signature, secrets, now)) return 401;
        // Here: parse, skip an id that you have seen, put the event into your own queue, and answer. Work on it afterwards.
        Console.WriteLine(request.Headers["Svc-Webhook-Id"]);
        return 204;
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
