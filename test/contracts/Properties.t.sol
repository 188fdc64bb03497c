// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {Vm} from "./support/Vm.sol";
import {IDepositRouter, Order, Step} from "./support/IDepositRouter.sol";
import {RouterTest} from "./support/RouterTest.sol";
import {Token, Traits, WrappedNative} from "./support/Tokens.sol";
import {BehaviourVault, Mode, OpenZeppelinVault, SolmateVault} from "./support/Vaults.sol";

/// @notice Stores its calldata, keeps native money, and can take any part of a token balance.
contract Sink {
    bytes public data;
    bytes public failure;

    function failWith(bytes calldata failure_) external {
        failure = failure_;
    }

    function take(Token token, uint256 amount) external {
        token.transferFrom(msg.sender, address(this), amount);
    }

    fallback() external payable {
        bytes memory reason = failure;
        if (reason.length != 0) {
            assembly {
                revert(add(reason, 32), mload(reason))
            }
        }
        data = msg.data;
    }
}

/// @notice Logs its calldata for every selector.
contract Echo {
    fallback() external payable {
        bytes memory data = msg.data;
        assembly {
            log0(add(data, 32), mload(data))
        }
    }
}

/// @notice Properties for all inputs. Each one computes the expected outcome before it reads the actual one.
contract PropertiesTest is RouterTest {
    Sink internal sink;

    function setUp() public override {
        super.setUp();
        sink = new Sink();
    }

    function _mint(address to, uint256 amount) private view returns (Step memory) {
        return callStep(address(token), abi.encodeCall(Token.mint, (to, amount)));
    }

    /// @dev The outcome as a value, to compare with the expected one.
    function _try(Order memory d, Step[] memory steps, uint256 value) private returns (bool, bytes memory) {
        vm.prank(alice);
        return address(router).call{value: value}(abi.encodeCall(IDepositRouter.execute, (d, steps, none())));
    }

    function _expect(bool expected, bytes4 failure, Order memory d, Step[] memory steps, uint256 value) private {
        (bool done, bytes memory answer) = _try(d, steps, value);
        ok(done == expected, expected ? "should succeed" : "should be refused");
        if (!done) eq(bytes32(bytes4(answer)), bytes32(failure), "reason");
    }

    function testFuzz_previewedSharesArriveAtAnyPrice(uint256 seeded, uint256 donated, uint256 amount, uint8 offset)
        external
    {
        seeded = within(seeded, 1, 1e30);
        donated = within(donated, 0, 1e30);
        amount = within(amount, 1, 1e30);
        OpenZeppelinVault priced = new OpenZeppelinVault(address(token), offset % 13);
        token.mint(address(this), seeded + donated);
        token.approve(address(priced), MAX);
        priced.deposit(seeded, mallory);
        token.transfer(address(priced), donated);
        token.mint(alice, amount);
        uint256 preview = priced.previewDeposit(amount);
        Order memory d = depositOf(address(token), amount, address(priced));
        d.minOut = preview == 0 ? 1 : preview;
        _expect(preview != 0, IDepositRouter.OutputBelowMinimum.selector, d, into(address(priced)), 0);
        eq(priced.balanceOf(bob), preview, "exactly the preview");
    }

    function testFuzz_minSharesIsTheLine(uint256 amount, uint256 minShares) external {
        amount = within(amount, 1, 1e24);
        minShares = within(minShares, 1, 2 * amount);
        token.mint(alice, amount);
        Order memory d = simple(amount);
        d.minOut = minShares;
        bool enough = amount >= minShares;
        _expect(enough, IDepositRouter.OutputBelowMinimum.selector, d, into(address(vault)), 0);
        eq(vault.balanceOf(bob), enough ? amount : 0, "shares");
        eq(token.balanceOf(alice), 1_000e18 + (enough ? 0 : amount), "paid only for shares");
    }

    function testFuzz_minInIsTheLine(uint256 amount, uint16 feeBps, uint256 minIn) external {
        Traits memory traits;
        traits.feeBps = uint16(within(feeBps, 0, 9_999));
        Token taxed = new Token(18, traits);
        amount = within(amount, 10_000, 1e24);
        minIn = within(minIn, 1, amount + amount / 10);
        fund(taxed, alice, amount);
        uint256 arrives = amount - amount * traits.feeBps / 10_000;
        Order memory d = depositOf(address(taxed), amount, address(token));
        d.minIn = minIn;
        _expect(arrives >= minIn, IDepositRouter.InputBelowMinimum.selector, d, one(_mint(bob, 1)), 0);
    }

    function testFuzz_deadlineIsTheLine(uint256 deadline, uint64 timestamp) external {
        vm.warp(timestamp);
        deadline = within(deadline, 0, uint256(timestamp) * 2);
        Order memory d = simple(1e18);
        d.deadline = deadline;
        _expect(timestamp <= deadline, IDepositRouter.DeadlinePassed.selector, d, into(address(vault)), 0);
    }

    function testFuzz_nativeValueMustMatch(uint256 amount, uint256 value, bool everything) external {
        amount = everything ? MAX : within(amount, 1, 100 ether);
        value = within(value, 1, 100 ether);
        if (value % 3 == 0 && !everything) value = amount;
        vm.deal(alice, value);
        bool matches = everything || value == amount;
        Order memory d = depositOf(NATIVE, amount, address(token));
        _expect(matches, IDepositRouter.NativeValueMismatch.selector, d, one(_mint(bob, 1)), value);
        eq(carol.balance, matches ? value : 0, "refunded in full");
        eq(alice.balance, matches ? 0 : value, "or never taken");
    }

    function testFuzz_everythingIsTheBalance(uint256 balance, uint256 kept) external {
        balance = within(balance, 1, 1e30);
        vm.prank(alice);
        token.transfer(mallory, 1_000e18);
        token.mint(alice, balance);
        vm.prank(alice);
        token.approve(address(router), within(kept, balance, MAX));
        eq(run(simple(MAX), into(address(vault))), balance, "shares for everything");
        eq(token.balanceOf(alice), 0, "nothing kept");
    }

    function testFuzz_patchWritesItsWordAndNoOther(bytes calldata data, uint256 offset, uint256 amount) external {
        amount = within(amount, 1, 1_000e18);
        offset = offset % 4 == 0 ? offset : within(offset, 0, data.length + 8);
        Step memory step = callStep(address(new Echo()), data);
        step.patches = patch(address(token), offset);
        bool fits = data.length >= 36 && offset >= 4 && offset <= data.length - 32;
        Step[] memory steps = two(step, vaultStep(address(token), address(vault), bob));
        vm.recordLogs();
        _expect(fits, IDepositRouter.StepPatchOutOfBounds.selector, simple(amount), steps, 0);
        if (!fits) return;
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].emitter != step.target) continue;
            eq(logs[i].data, bytes.concat(data[:offset], bytes32(amount), data[offset + 32:]), "one word");
            return;
        }
        ok(false, "called");
    }

    function testFuzz_patchFactor(uint256 amount, uint256 factor) external {
        amount = within(amount, 1, 1_000e18);
        Step memory step = callStep(address(sink), bytes.concat(hex"aabbccdd", bytes32(0)));
        step.patches = patch(address(token), 4, factor, 0);
        bool overflows = factor != 0 && amount > MAX / factor;
        Order memory d = depositOf(address(token), amount, address(vault));
        _expect(
            !overflows,
            IDepositRouter.StepPatchOverflow.selector,
            d,
            two(step, vaultStep(address(token), address(vault), bob)),
            0
        );
        if (!overflows) {
            eq(sink.data(), bytes.concat(hex"aabbccdd", bytes32(factor == 0 ? amount : amount * factor)), "product");
        }
    }

    function testFuzz_leftoverIsRefundedToTheWei(uint256 amount, uint256 taken) external {
        amount = within(amount, 1, 1_000e18);
        taken = within(taken, 0, amount);
        Step memory step = callStep(address(sink), abi.encodeCall(Sink.take, (token, taken)));
        (step.approveToken, step.spender) = (address(token), address(sink));
        BehaviourVault gift = new BehaviourVault(address(token), Mode.TakesNothing);
        address clone = nextClone();
        Order memory d = depositOf(address(token), amount, address(gift));
        run(d, two(step, callStep(address(gift), abi.encodeCall(Token.mint, (bob, 1)))));
        eq(token.balanceOf(carol), amount - taken, "refund");
        eq(token.balanceOf(address(sink)), taken, "taken");
        assertEmpty(address(token), clone, address(sink));
    }

    function testFuzz_moreThanWasApprovedCannotBeTaken(uint256 amount, uint256 excess) external {
        amount = within(amount, 1, 1_000e18);
        Step memory step = callStep(address(sink), abi.encodeCall(Sink.take, (token, within(excess, amount + 1, MAX))));
        (step.approveToken, step.spender) = (address(token), address(sink));
        _expect(
            false,
            IDepositRouter.StepFailed.selector,
            simple(amount),
            two(step, vaultStep(address(token), address(vault), bob)),
            0
        );
    }

    function testFuzz_nativeStepsGetExactlyTheirValue(uint256 amount, uint256 first, uint256 second) external {
        amount = within(amount, 1, 100 ether);
        first = within(first, 0, amount);
        second = second % 4 == 0 ? MAX : within(second, 0, amount);
        Step memory a = callStep(address(sink), "");
        Step memory b = callStep(address(new Sink()), "");
        (a.value, b.value) = (first, second);
        vm.deal(alice, amount);
        uint256 left = amount - first;
        bool affordable = second == MAX || second <= left;
        Order memory d = depositOf(NATIVE, amount, address(token));
        _expect(affordable, IDepositRouter.StepFailed.selector, d, three(a, b, _mint(bob, 1)), amount);
        if (!affordable) return;
        eq(a.target.balance, first, "first step");
        eq(b.target.balance, second == MAX ? left : second, "second step");
        eq(carol.balance, second == MAX ? 0 : left - second, "refund");
    }

    function testFuzz_donationsNeitherBlockNorStick(uint256 asset, uint256 native, uint256 listed, uint256 amount)
        external
    {
        asset = within(asset, 0, 1e30);
        native = within(native, 0, 1e30);
        listed = within(listed, 0, 1e30);
        amount = within(amount, 1, 1_000e18);
        Token other = ordinary();
        address clone = nextClone();
        token.mint(clone, asset);
        other.mint(clone, listed);
        vm.deal(clone, native);
        Order memory d = simple(amount);
        (d.minIn, d.minOut) = (amount, amount);
        Step memory exact = callStep(address(vault), abi.encodeWithSignature("deposit(uint256,address)", amount, bob));
        (exact.approveToken, exact.spender) = (address(token), address(vault));
        vm.prank(alice);
        eq(router.execute(d, one(exact), only(address(other))), amount, "shares for what was paid");
        eq(token.balanceOf(carol), asset, "donated asset");
        eq(other.balanceOf(carol), listed, "donated token");
        eq(carol.balance, native, "donated native");
    }

    function testFuzz_onlyTheSenderPays(uint256 roles, uint256 amount) external {
        address[4] memory people = [alice, bob, carol, victim];
        for (uint256 i = 0; i < 4; ++i) {
            fund(token, people[i], 5_000e18 - token.balanceOf(people[i]) % 5_000e18);
        }
        uint256[4] memory before;
        for (uint256 i = 0; i < 4; ++i) {
            before[i] = token.balanceOf(people[i]);
        }
        amount = within(amount, 2, 1_000e18);
        uint256 sender = roles % 4;
        BehaviourVault half = new BehaviourVault(address(token), Mode.TakesHalf);
        Order memory d = depositOf(address(token), amount, address(half));
        (d.receiver, d.refundTo) = (people[roles / 4 % 4], people[roles / 16 % 4]);
        vm.prank(people[sender]);
        router.execute(d, one(vaultStep(address(token), address(half), d.receiver)), none());
        for (uint256 i = 0; i < 4; ++i) {
            uint256 expected = before[i];
            if (i == sender) expected -= amount;
            if (i == roles / 16 % 4) expected += amount - amount / 2;
            eq(token.balanceOf(people[i]), expected, "pays, is refunded, or is left alone");
        }
        eq(half.balanceOf(d.receiver), amount / 2, "shares");
    }

    /// @dev The central property: whatever a step calls, an account that only approved the Router loses nothing.
    function testFuzz_noStepTakesFromTheVictim(uint8 kind, uint8 target, bytes calldata noise, uint256 amount)
        external
    {
        amount = within(amount, 1, 1_000_000e18);
        bytes[6] memory thefts = [
            abi.encodeCall(Token.transferFrom, (victim, mallory, amount)),
            abi.encodeCall(Token.move, (victim, mallory, amount)),
            abi.encodeCall(Token.approve, (mallory, amount)),
            abi.encodeWithSignature("deposit(uint256,address)", amount, mallory),
            bytes(noise),
            abi.encodePacked(Token.transferFrom.selector, abi.encode(victim, mallory, amount), noise)
        ];
        address[5] memory targets = [address(token), address(vault), address(router), implementation, address(sink)];
        Step memory step = callStep(targets[target % 5], thefts[kind % 6]);
        if (kind >= 128) (step.approveToken, step.spender) = (address(token), address(vault));
        if (target >= 128) step.patches = patch(address(token), 36);
        // The test token's open mint and burn functions are excluded.
        vm.assume(noise.length < 4 || kind % 6 != 4 || bytes4(noise) != Token.burn.selector);
        _try(simple(10e18), two(step, vaultStep(address(token), address(vault), bob)), 0);
        eq(token.balanceOf(victim), 1_000_000e18, "the victim has lost nothing");
        eq(token.allowance(victim, address(router)), MAX, "nor has the approval been used");
        eq(token.allowance(address(router), mallory), 0, "the Router approved nobody");
    }

    function testFuzz_anyGasGivesTheWholeDepositOrNone(uint256 gas_) external {
        gas_ = within(gas_, 21_000, 400_000);
        BehaviourVault half = new BehaviourVault(address(token), Mode.TakesHalf);
        Order memory d = depositOf(address(token), 100e18, address(half));
        vm.prank(alice);
        (bool done,) =
            address(router).call{gas: gas_}(abi.encodeCall(IDepositRouter.execute, (d, into(address(half)), none())));
        eq(half.balanceOf(bob), done ? 50e18 : 0, "shares");
        eq(token.balanceOf(carol), done ? 50e18 : 0, "refund");
        eq(token.balanceOf(alice), done ? 900e18 : 1_000e18, "payment");
        eq(uint256(vm.load(address(router), bytes32(0))), 1, "unlocked");
    }

    function testFuzz_reasonsArePassedOnUpToTheCap(bytes calldata reason, uint16 padding) external {
        bytes memory full = bytes.concat(hex"01", reason, new bytes(padding % 6_000));
        sink.failWith(full);
        (bool done, bytes memory answer) = _try(simple(1e18), one(callStep(address(sink), "")), 0);
        ok(!done, "reverted");
        if (full.length > 4_096) {
            assembly {
                mstore(full, 4096)
            }
        }
        eq(answer, stepFailed(0, full), "under the number of the step");
    }

    function testFuzz_eventTellsWhatWasMeasured(
        uint256 amount,
        uint16 feeBps,
        bytes32 ref,
        bytes32 partnerId,
        uint8 partnerType
    ) external {
        Traits memory traits;
        traits.feeBps = feeBps % 5_000;
        Token taxed = new Token(18, traits);
        amount = within(amount, 100, 1e24);
        fund(taxed, alice, amount);
        BehaviourVault honest = new BehaviourVault(address(taxed), Mode.Honest);
        Order memory d = depositOf(address(taxed), amount, address(honest));
        (d.ref, d.partnerId, d.partnerType) = (ref, partnerId, partnerType);
        uint256 arrives = amount - amount * traits.feeBps / 10_000;
        uint256 minted = arrives - arrives * traits.feeBps / 10_000;
        vm.expectEmit(address(router));
        emit IDepositRouter.OrderExecuted(
            ref, partnerId, bob, alice, address(taxed), address(honest), arrives, minted, partnerType
        );
        eq(run(d, one(vaultStep(address(taxed), address(honest), bob))), minted, "shares");
    }

    function testFuzz_oneDepositMayFeedTwoVaults(uint256 amount, uint256 part) external {
        amount = within(amount, 2, 1_000e18);
        part = within(part, 1, amount - 1);
        SolmateVault other = new SolmateVault(address(token));
        Step memory first = callStep(address(other), abi.encodeWithSignature("deposit(uint256,address)", part, carol));
        (first.approveToken, first.spender) = (address(token), address(other));
        address clone = nextClone();
        uint256 shares = run(simple(amount), two(first, vaultStep(address(token), address(vault), bob)));
        eq(shares, amount - part, "the rest");
        eq(other.balanceOf(carol), part, "the part");
        assertEmpty(address(token), clone, address(other));
        assertEmpty(address(token), clone, address(vault));
    }

    function testFuzz_sweepListInAnyOrderAndNumber(uint256 picks, uint8 length, uint256 amount) external {
        Token[4] memory tokens = [token, ordinary(), ordinary(), ordinary()];
        amount = within(amount, 1, 1e24);
        address clone = nextClone();
        for (uint256 i = 1; i < 4; ++i) {
            tokens[i].mint(clone, amount * i);
        }
        address[] memory sweep = new address[](length % 12);
        bool[4] memory listed;
        for (uint256 i = 0; i < sweep.length; ++i) {
            uint256 pick = (picks >> (2 * i)) % 4;
            listed[pick] = true;
            sweep[i] = address(tokens[pick]);
        }
        vm.prank(alice);
        router.execute(simple(1e18), into(address(vault)), sweep);
        for (uint256 i = 1; i < 4; ++i) {
            eq(tokens[i].balanceOf(carol), listed[i] ? amount * i : 0, "listed tokens are refunded once");
            eq(tokens[i].balanceOf(clone), listed[i] ? 0 : amount * i, "others stay");
        }
    }

    function testFuzz_refusedRolesNeverReceive(uint8 who, bool asReceiver) external {
        address[4] memory refused = [address(router), implementation, nextClone(), address(0)];
        Order memory d = simple(1e18);
        if (asReceiver) d.receiver = refused[who % 4];
        else d.refundTo = refused[who % 4];
        bytes4 zero = asReceiver ? IDepositRouter.ZeroReceiver.selector : IDepositRouter.ZeroRefundTo.selector;
        bytes4 ours = asReceiver ? IDepositRouter.ReceiverForbidden.selector : IDepositRouter.RefundToForbidden.selector;
        _expect(false, who % 4 == 3 ? zero : ours, d, into(address(vault)), 0);
    }

    function testFuzz_clonesNeverRepeat(uint8 deposits) external {
        uint256 count = within(deposits, 2, 8);
        address[] memory clones = new address[](count);
        for (uint256 i = 0; i < count; ++i) {
            clones[i] = nextClone();
            eq(clones[i].code.length, 0, "unused");
            run(simple(1e18), into(address(vault)));
            eq(clones[i].code.length, 45, "used");
            for (uint256 j = 0; j < i; ++j) {
                ok(clones[i] != clones[j], "a new one");
            }
        }
    }
}
